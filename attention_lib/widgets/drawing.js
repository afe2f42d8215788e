// A part of the page as a plain SVG: boxes, letters and shapes, which PowerPoint, Word and Inkscape can take apart.
// A <foreignObject> would be quicker made, but nothing except a browser draws it.

const SVG = "http://www.w3.org/2000/svg";
const MARGIN = 12; // px around the picture
const COLOUR = /(?:rgba?|color|oklab|oklch)\([^)]*\)/g;
const STOPS = /((?:rgba?|color|oklab|oklch)\([^)]*\))((?:\s[\d.]+px)*)/g;
const ASIDE = ".al-save, .al-error, .al-reset, .al-close"; // no part of a picture

class Drawing {
  constructor(root, vectors) {
    this.vectors = vectors;
    this.origin = root.getBoundingClientRect();
    this.pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    this.colours = new Map();
    this.defs = node("defs", {});
    this.made = 0;
    this.sheet = node("g", {});
    this.limits = [{ left: -Infinity, top: -Infinity, right: Infinity, bottom: Infinity }];
    this.ends = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
    this.element(root, this.sheet);
  }

  finish() {
    const { left, top, right, bottom } = this.ends;
    if (!(right > left)) throw new Error("empty");
    const x = Math.floor(left - MARGIN), y = Math.floor(top - MARGIN);
    const width = Math.ceil(right + MARGIN) - x, height = Math.ceil(bottom + MARGIN) - y;
    const svg = node("svg", { width, height, viewBox: `${x} ${y} ${width} ${height}` }, [
      this.defs, node("rect", { x, y, width, height, fill: "#ffffff" }), this.sheet,
    ]);
    return { svg: new XMLSerializer().serializeToString(svg), width, height };
  }

  element(el, into) {
    const style = getComputedStyle(el);
    if (el.matches(ASIDE) || style.display === "none" || Number(style.opacity) === 0) return;
    const box = this.box(el.getBoundingClientRect());
    let out = into;
    if (Number(style.opacity) < 1) into.append((out = node("g", { opacity: style.opacity })));
    const seen = style.visibility === "visible";
    if (el instanceof SVGSVGElement) return this.drawing(el, style, box, out);
    if (seen && style.display !== "contents") {
      const boxes = style.display === "inline" ? [...el.getClientRects()].map((rect) => this.box(rect)) : [box];
      boxes.forEach((part) => this.decorate(part, style, out));
      if (style.outlineStyle !== "none" && !el.matches(":focus-visible")) this.outline(box, style, out);
    }
    if (el.matches("img")) return seen && this.image(el, box, out);
    if (el.matches("input, select, textarea")) return seen && this.control(el, box, style, out);
    const clips = style.overflowX !== "visible" && style.overflowX !== "auto";
    if (clips) out = this.clipped(inner(box, style), radius(style, box), out);
    for (const child of inOrder(el)) {
      if (child.nodeType === Node.TEXT_NODE) seen && this.text(child, style, out);
      else this.element(child, out);
    }
    if (clips) this.limits.pop();
  }

  box({ left, top, right, bottom }) {
    const { left: x, top: y } = this.origin;
    return { left: left - x, top: top - y, right: right - x, bottom: bottom - y };
  }

  // The picture ends where the last thing drawn ends, as far as that is not clipped.
  reach({ left, top, right, bottom }) {
    const limit = this.limits.at(-1), ends = this.ends;
    ends.left = Math.min(ends.left, Math.max(left, limit.left));
    ends.top = Math.min(ends.top, Math.max(top, limit.top));
    ends.right = Math.max(ends.right, Math.min(right, limit.right));
    ends.bottom = Math.max(ends.bottom, Math.min(bottom, limit.bottom));
  }

  clipped(box, round, out) {
    const id = `c${++this.made}`, limit = this.limits.at(-1);
    this.defs.append(node("clipPath", { id }, [rectangle(box, round)]));
    const group = node("g", { "clip-path": `url(#${id})` });
    out.append(group);
    this.limits.push({
      left: Math.max(limit.left, box.left), top: Math.max(limit.top, box.top),
      right: Math.min(limit.right, box.right), bottom: Math.min(limit.bottom, box.bottom),
    });
    return group;
  }

  // ---- boxes ----

  decorate(box, style, out) {
    const round = radius(style, box);
    const shadows = shadowsOf(style.boxShadow);
    for (const shadow of shadows.filter((s) => !s.inset).reverse()) this.shadow(box, round, shadow, out);
    const fill = this.colour(style.backgroundColor), shade = this.gradient(style.backgroundImage);
    for (const paint of [fill.alpha && fill, shade].filter(Boolean)) {
      out.append(rectangle(box, round, { fill: paint.css, "fill-opacity": paint.alpha }));
      this.reach(box);
    }
    if (style.backgroundImage.startsWith("repeating-linear-gradient")) this.hatch(box, style.backgroundImage, out);
    for (const shadow of shadows.filter((s) => s.inset)) this.inset(inner(box, style), shadow, out);
    this.border(box, round, style, out);
  }

  border(box, round, style, out) {
    const sides = ["Top", "Right", "Bottom", "Left"].map((side) => ({
      width: parseFloat(style[`border${side}Width`]), kind: style[`border${side}Style`],
      ...this.colour(style[`border${side}Color`]),
    }));
    const shown = sides.filter(({ width, kind, alpha }) => width && alpha && kind !== "none" && kind !== "hidden");
    if (!shown.length) return;
    this.reach(box);
    const [first] = sides;
    if (sides.every((side) => ["width", "kind", "css", "alpha"].every((part) => side[part] === first[part]))) {
      out.append(rectangle(grown(box, -first.width / 2), Math.max(0, round - first.width / 2), stroke(first)));
      return;
    }
    const corners = ({ left, top, right, bottom }) => [[left, top], [right, top], [right, bottom], [left, bottom]];
    const outer = corners(box), within = corners(inner(box, style));
    sides.forEach((side, i) => {
      if (!shown.includes(side)) return;
      const j = (i + 1) % 4, middle = (k) => outer[k].map((x, axis) => (x + within[k][axis]) / 2);
      if (side.kind === "dashed") {
        const [[x1, y1], [x2, y2]] = [middle(i), middle(j)];
        out.append(node("line", { x1: round2(x1), y1: round2(y1), x2: round2(x2), y2: round2(y2), ...stroke(side) }));
      } else {
        const points = [outer[i], outer[j], within[j], within[i]].map((p) => p.map(round2).join(",")).join(" ");
        out.append(node("polygon", { points, fill: side.css, "fill-opacity": side.alpha }));
      }
    });
  }

  outline(box, style, out) {
    const width = parseFloat(style.outlineWidth), colour = this.colour(style.outlineColor);
    const line = grown(box, parseFloat(style.outlineOffset) + width / 2);
    out.append(rectangle(line, radius(style, box), stroke({ width, ...colour, kind: style.outlineStyle })));
    this.reach(grown(line, width / 2));
  }

  // A soft shadow as some boxes upon each other: office programs leave out the blur of an SVG.
  shadow(box, round, { x, y, blur, spread, colour }, out) {
    const { css, alpha } = this.colour(colour);
    const layers = blur ? Math.min(12, Math.max(3, Math.ceil(blur / 2))) : 1;
    let before = 0;
    for (let i = 0; i < layers; i++) {
      const t = (i + 0.5) / layers, whole = blur ? alpha * t * t * (3 - 2 * t) : alpha;
      const edge = grown(box, spread + (blur ? blur * (1 - 2 * t) : 0));
      const moved = { left: edge.left + x, right: edge.right + x, top: edge.top + y, bottom: edge.bottom + y };
      if (moved.right <= moved.left || moved.bottom <= moved.top) break;
      const opacity = round2((whole - before) / (1 - before) * 100) / 100;
      before = whole;
      out.append(rectangle(moved, Math.max(0, round + (edge.right - box.right)), { fill: css, "fill-opacity": opacity }));
      if (!i) this.reach(moved);
    }
  }

  inset(box, { x, y, blur, spread, colour }, out) {
    if (blur) return; // only shades an edge
    const { css, alpha } = this.colour(colour), hole = grown(box, -spread);
    const path = (b) => `M${round2(b.left)} ${round2(b.top)}H${round2(b.right)}V${round2(b.bottom)}H${round2(b.left)}Z`;
    const within = {
      left: Math.max(box.left, hole.left + x), right: Math.min(box.right, hole.right + x),
      top: Math.max(box.top, hole.top + y), bottom: Math.min(box.bottom, hole.bottom + y),
    };
    out.append(node("path", { d: path(box) + path(within), "fill-rule": "evenodd", fill: css, "fill-opacity": alpha }));
  }

  gradient(image) {
    const turn = image.match(/^linear-gradient\((?:([\d.-]+)deg)?/);
    if (!turn) return null;
    const colours = image.match(COLOUR).map((text) => this.colour(text));
    const id = `s${++this.made}`, [dx, dy] = direction(turn[1]).map((x) => round2(x / 2));
    this.defs.append(node("linearGradient", { id, x1: 0.5 - dx, y1: 0.5 - dy, x2: 0.5 + dx, y2: 0.5 + dy }, colours.map(
      ({ css, alpha }, i) => node("stop", { offset: i / (colours.length - 1), "stop-color": css, "stop-opacity": alpha }))));
    return { css: `url(#${id})`, alpha: 1 };
  }

  // Stripes, "… 45deg, white 0px, white 5px, grey 5px, grey 7px": each a piece of the box between two parallel lines.
  hatch(box, image, out) {
    const stops = [];
    for (const [, colour, places] of image.matchAll(STOPS)) {
      for (const at of places.match(/[\d.]+(?=px)/g) ?? []) stops.push({ ...this.colour(colour), at: Number(at) });
    }
    const along = direction(image.match(/([\d.-]+)deg/)?.[1]), { left, top, right, bottom } = box;
    const corners = [[left, top], [right, top], [right, bottom], [left, bottom]];
    const far = (p) => p[0] * along[0] + p[1] * along[1];
    const start = Math.min(...corners.map(far)), length = Math.max(...corners.map(far)) - start, period = stops.at(-1)?.at;
    for (let i = 1; i < stops.length; i++) {
      const [from, to] = [stops[i - 1], stops[i]];
      if (!to.alpha || to.css !== from.css || to.at === from.at) continue;
      for (let at = 0; at < length; at += period) {
        const piece = cut(cut(corners, (p) => far(p) - start - at - from.at), (p) => start + at + to.at - far(p));
        const points = piece.map((p) => p.map(round2).join(",")).join(" ");
        if (piece.length) out.append(node("polygon", { points, fill: to.css, "fill-opacity": to.alpha }));
      }
    }
  }

  // Any colour CSS can name as #rrggbb and an opacity: the only ones that every program knows.
  colour(text) {
    if (!this.colours.has(text)) {
      this.pen.clearRect(0, 0, 1, 1);
      this.pen.fillStyle = "#000";
      this.pen.fillStyle = text;
      this.pen.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = this.pen.getImageData(0, 0, 1, 1).data;
      const css = `#${[r, g, b].map((c) => c.toString(16).padStart(2, "0")).join("")}`;
      this.colours.set(text, { css, alpha: round2(a / 255) });
    }
    return this.colours.get(text);
  }

  // ---- letters ----

  text(text, style, out) {
    for (const line of linesOf(text)) this.line(line.text, this.box(line), style, out);
  }

  line(text, box, style, out) {
    const font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    if (this.pen.font !== font) this.pen.font = font;
    const size = this.pen.measureText("x"); // the page rounds how far a font reaches up and down
    const [up, down] = [size.fontBoundingBoxAscent, size.fontBoundingBoxDescent].map(Math.round);
    const { css, alpha } = this.colour(style.color);
    const anchor = { center: "middle", right: "end", end: "end" }[style.textAlign] ?? "start";
    const at = { start: box.left, middle: (box.left + box.right) / 2, end: box.right }[anchor];
    const looks = {
      x: round2(at), y: round2((box.top + box.bottom + up - down) / 2), fill: css, "font-family": style.fontFamily,
      "font-size": round2(parseFloat(style.fontSize)), "font-weight": style.fontWeight, "text-anchor": anchor,
    };
    if (alpha < 1) looks["fill-opacity"] = alpha;
    if (style.fontStyle !== "normal") looks["font-style"] = style.fontStyle;
    if (style.textDecorationLine !== "none") looks["text-decoration"] = style.textDecorationLine;
    if (style.fontVariantNumeric !== "normal") looks.style = `font-variant-numeric: ${style.fontVariantNumeric}`;
    out.append(node("text", looks, [known(text)]));
    this.reach(box);
  }

  // ---- what a form shows ----

  control(el, box, style, out) {
    const accent = this.colour(style.accentColor === "auto" ? "#1565c0" : style.accentColor).css;
    const middle = (box.top + box.bottom) / 2, grey = "#767676";
    if (el.type === "range") {
      const part = (el.value - el.min) / (el.max - el.min || 1), x = box.left + 8 + part * (box.right - box.left - 16);
      const bar = (from, to, looks) => rectangle({ left: from, right: to, top: middle - 3.5, bottom: middle + 3.5 }, 3.5, looks);
      out.append(bar(box.left + 0.5, box.right - 0.5, { fill: "#efefef", stroke: "#b2b2b2" }), bar(box.left, x, { fill: accent }),
        node("circle", { cx: round2(x), cy: round2(middle), r: 8, fill: accent }));
      this.reach({ ...box, top: middle - 8, bottom: middle + 8 });
    } else if (el.type === "radio" || el.type === "checkbox") {
      const round = el.type === "radio", r = Math.min(box.right - box.left, box.bottom - box.top) / 2;
      const ring = { left: box.left + 0.5, right: box.left + 2 * r - 0.5, top: middle - r + 0.5, bottom: middle + r - 0.5 };
      out.append(rectangle(ring, round ? r : 2, { fill: "#ffffff", stroke: el.checked ? accent : grey }));
      if (el.checked) out.append(rectangle(grown(ring, -0.45 * r), round ? r : 1, { fill: accent }));
      this.reach(box);
    } else {
      const shown = el.matches("select") ? el.selectedOptions[0]?.textContent : el.value || el.placeholder;
      const within = inner(box, style), size = parseFloat(style.fontSize);
      const room = { left: within.left + parseFloat(style.paddingLeft), right: within.right - parseFloat(style.paddingRight) };
      if (shown) this.line(shown.trim(), { ...room, top: middle - size / 2, bottom: middle + size / 2 }, style, out);
    }
  }

  // ---- pictures ----

  image(el, box, out) {
    this.reach(box);
    const file = this.vectors.get(el);
    if (!file) {
      const sheet = Object.assign(document.createElement("canvas"), { width: el.naturalWidth, height: el.naturalHeight });
      sheet.getContext("2d").drawImage(el, 0, 0);
      out.append(node("image", { ...place(box), href: sheet.toDataURL() }));
      return;
    }
    const name = `f${++this.made}-`; // two figures use the same ids
    const text = new TextDecoder().decode(file).replace(/\bid="|href="#|url\(#/g, (before) => before + name);
    const svg = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
    const [, , width] = svg.getAttribute("viewBox").split(" ").map(Number);
    svg.querySelectorAll("metadata, title, style").forEach((part) => part.remove());
    const scale = (box.right - box.left) / width;
    out.append(node("g", {
      transform: `translate(${round2(box.left)} ${round2(box.top)}) scale(${scale})`,
      "stroke-linejoin": "round", "stroke-linecap": "butt", // matplotlib's own style sheet, said to all of the file
    }, [...svg.children]));
  }

  // A drawing of the page: each shape with its looks written on it, for its style sheet stays behind.
  drawing(svg, style, box, out) {
    const clips = style.overflowX !== "visible";
    const sheet = clips ? this.clipped(box, 0, out) : out;
    this.shapes(svg, sheet);
    if (clips) this.limits.pop();
  }

  shapes(parent, out) {
    for (const el of parent.children) {
      const style = getComputedStyle(el);
      if (style.display === "none" || Number(style.opacity) === 0) continue;
      const opacity = Number(style.opacity) < 1 ? { opacity: style.opacity } : {};
      if (el.tagName === "g") {
        const group = node("g", opacity);
        out.append(group);
        this.shapes(el, group);
      } else if (style.visibility === "visible") {
        const geometry = [...el.attributes].filter(({ name }) => !/^(class|style|fill|stroke)/.test(name));
        const fill = style.fill === "none" ? { alpha: 1, css: "none" } : this.colour(style.fill);
        const line = style.stroke === "none" ? {} : {
          ...stroke({ width: parseFloat(style.strokeWidth), ...this.colour(style.stroke) }), fill: fill.css,
          "stroke-linecap": style.strokeLinecap, "stroke-linejoin": style.strokeLinejoin,
          ...(style.strokeDasharray !== "none" && { "stroke-dasharray": style.strokeDasharray.replace(/px/g, "") }),
        };
        const { a, b, c, d, e, f } = el.getScreenCTM();
        const matrix = [a, b, c, d, e - this.origin.left, f - this.origin.top].map((x) => Math.round(x * 1e4) / 1e4);
        out.append(node(el.tagName, {
          ...Object.fromEntries(geometry.map(({ name, value }) => [name, value])), fill: fill.css, "fill-opacity": fill.alpha,
          ...line, ...opacity, transform: `matrix(${matrix.join(" ")})`,
        }));
        this.reach(this.box(el.getBoundingClientRect()));
      }
    }
  }
}

// ---- small things ---------------------------------------------------------------------------------------------

function node(tag, attributes, children = []) {
  const el = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) el.setAttribute(name, value);
  el.append(...children);
  return el;
}

const round2 = (x) => Math.round(x * 100) / 100;
const grown = (box, by) => ({ left: box.left - by, right: box.right + by, top: box.top - by, bottom: box.bottom + by });
const place = ({ left, top, right, bottom }) => ({
  x: round2(left), y: round2(top), width: round2(Math.max(0, right - left)), height: round2(Math.max(0, bottom - top)),
});
const rectangle = (box, round, looks = {}) => node("rect", { ...place(box), ...(round && { rx: round2(round) }), ...looks });

function stroke({ width, css, alpha, kind }) {
  const dashes = kind === "dashed" ? { "stroke-dasharray": `${2 * width} ${width}` } : {};
  return { fill: "none", stroke: css, "stroke-opacity": alpha, "stroke-width": round2(width), ...dashes };
}

function inner(box, style) {
  return {
    left: box.left + parseFloat(style.borderLeftWidth), right: box.right - parseFloat(style.borderRightWidth),
    top: box.top + parseFloat(style.borderTopWidth), bottom: box.bottom - parseFloat(style.borderBottomWidth),
  };
}

// The direction of a gradient; 0 degrees lead upwards, and none given are 180.
function direction(degrees = 180) {
  const angle = (Number(degrees) * Math.PI) / 180;
  return [Math.sin(angle), -Math.cos(angle)];
}

// The part of a polygon where ``side`` is not negative.
function cut(corners, side) {
  return corners.flatMap((p, i) => {
    const q = corners[(i + 1) % corners.length], [a, b] = [side(p), side(q)];
    const kept = a >= 0 ? [p] : [];
    if (a * b < 0) kept.push(p.map((x, axis) => x + ((q[axis] - x) * a) / (a - b)));
    return kept;
  });
}

function radius(style, box) {
  const least = Math.min(box.right - box.left, box.bottom - box.top), given = style.borderTopLeftRadius;
  return Math.min(given.includes("%") ? (parseFloat(given) / 100) * least : parseFloat(given) || 0, least / 2);
}

// "rgb(0, 0, 0) 0px 2px 4px 0px inset, …": the last number is the spread.
function shadowsOf(text) {
  if (text === "none") return [];
  return text.split(/,(?![^(]*\))/).map((one) => {
    const colour = one.match(/[a-z]+\([^)]*\)/)[0];
    const [x, y, blur, spread] = one.replace(colour, "").match(/-?[\d.]+px/g).map(parseFloat);
    return { x, y, blur, spread, colour, inset: one.includes("inset") };
  });
}

// Below each other as CSS paints them, as far as a panel needs it: what is positioned lies above what is not.
function inOrder(el) {
  const flexible = /flex|grid/.test(getComputedStyle(el).display);
  const level = (child) => {
    if (child.nodeType !== Node.ELEMENT_NODE) return 0;
    const { position, zIndex } = getComputedStyle(child);
    if (zIndex !== "auto" && (flexible || position !== "static")) return Number(zIndex) || 0.5;
    return position === "static" ? 0 : 0.5;
  };
  const kinds = [Node.ELEMENT_NODE, Node.TEXT_NODE];
  return [...el.childNodes].filter((child) => kinds.includes(child.nodeType)).map((child) => [level(child), child])
    .sort(([a], [b]) => a - b).map(([, child]) => child);
}

// The lines a text is broken into, each with the box around its letters.
function linesOf(text) {
  const range = document.createRange(), lines = [];
  let at = 0, gap = "";
  for (const mark of text.data) {
    range.setStart(text, at);
    range.setEnd(text, (at += mark.length));
    const box = range.getClientRects()[0], last = lines.at(-1);
    const follows = last && (!box?.width || (Math.abs(box.top - last.top) < box.height / 2 && box.left >= last.right - 2));
    if (!mark.trim()) gap = last ? " " : "";
    else if (follows) Object.assign(last, { text: last.text + gap + mark, right: box?.width ? box.right : last.right });
    else if (box) lines.push({ text: mark, left: box.left, right: box.right, top: box.top, bottom: box.bottom });
    if (mark.trim()) gap = "";
  }
  return lines;
}

// Without the few signs that no XML file may hold.
const known = (text) => text.replace(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, "\uFFFD");
