// The choices beside the button that saves, and the files they make. Python sends this, after drawing.js, when the
// button is first pressed.

const DPI = 300, CSS_DPI = 96;
const MOST_PIXELS = 6e7, LONGEST_SIDE = 16000; // what a browser's canvas holds
const LIGHT = {
  "--jp-ui-font-color0": "#000", "--jp-ui-font-color1": "#222", "--jp-ui-font-color2": "#555", "--jp-content-font-color1": "#222",
  "--jp-layout-color0": "#fff", "--jp-layout-color1": "#fff", "--jp-layout-color2": "#eee", "--jp-layout-color3": "#bdbdbd",
  "--jp-border-color1": "#8a8a8a", "--jp-border-color2": "#bdbdbd", "--jp-brand-color1": "#1976d2",
  "--jp-widgets-color": "#222", "--jp-widgets-label-color": "#222", "--jp-widgets-input-color": "#222",
  "--jp-widgets-input-background-color": "#fff", "--jp-widgets-input-border-color": "#8a8a8a",
};

export function choices(bar, button, { ask, report, stem, words }) {
  const figure = bar.closest(".al-figure"); // Python draws it, the page what lies around
  const own = figure ?? bar.parentElement, all = outermost(own);
  const group = document.createElement("span");
  group.className = "al-save-choices";
  const told = document.createElement("span");
  told.setAttribute("role", "status");

  let failed = false;
  const offer = (scope, make, name) => {
    const line = document.createElement("span");
    line.className = "al-save-scope";
    line.append(words[scope]);
    group.append(line);
    for (const kind of ["PNG", "SVG"]) {
      const choice = document.createElement("button");
      choice.type = "button";
      choice.className = "al-save-as";
      choice.textContent = kind;
      choice.setAttribute("aria-label", words[`${scope}_as`].replace("{kind}", kind));
      choice.addEventListener("click", async () => {
        try {
          const file = `${name}.${kind.toLowerCase()}`;
          download(await make(kind.toLowerCase()), file);
          if (failed) report("");
          failed = false;
          toggle(false);
          button.focus();
          told.textContent = words.saved.replace("{file}", file);
          setTimeout(() => (told.textContent = ""), 6000);
        } catch (error) {
          failed = true;
          if (error) report(error);
        }
      });
      line.append(choice);
    }
  };
  const toggle = (open) => {
    group.hidden = !open;
    button.setAttribute("aria-expanded", String(open));
    if (open) told.textContent = "";
  };
  offer("this", figure ? async (kind) => as(kind, (await ask(kind)).files[0]) : (kind) => picture(own, kind), stem);
  if (all !== own) offer("all", (kind) => picture(all, kind), "attention-panels");
  bar.append(group, told);
  button.addEventListener("click", () => toggle(group.hidden));
  bar.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || group.hidden) return;
    event.stopPropagation(); // the panel has something else to close
    toggle(false);
    button.focus();
  });
  toggle(true);
}

// The whole of what a cell shows: the outermost of the rows and columns around a panel.
function outermost(el) {
  for (let up = el; up; up = up.parentElement?.closest(".widget-box")) el = up;
  return el;
}

const as = (kind, content) => new Blob([content], { type: kind === "svg" ? "image/svg+xml" : "image/png" });

function download(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

// ---- a picture of an element --------------------------------------------------------------------------------------

async function picture(root, kind) {
  const figures = [...root.querySelectorAll(".al-figure"), ...(root.matches(".al-figure") ? [root] : [])];
  const drawn = await Promise.all(figures.map((figure) => figure.querySelector(".al-save").ask("svg")));
  const vectors = new Map(figures.map((figure, i) => [figure.querySelector("img"), drawn[i].files[0]]));
  const { svg, width, height } = inLight(root, () => new Drawing(root, vectors).finish());
  return kind === "svg" ? as(kind, svg) : raster(svg, width, height);
}

// Reads the page in its light theme, without movement, and with ::before and ::after as elements; nothing of it is seen,
// for the browser paints only what is there afterwards.
function inLight(root, look) {
  const theme = document.body.dataset.jpThemeLight, before = root.style.cssText;
  const still = document.createElement("style");
  still.textContent = `[data-al-paper], [data-al-paper] * { transition: none !important; animation: none !important; }
    [data-al-before]::before, [data-al-after]::after { content: none !important; }`;
  document.head.append(still);
  root.dataset.alPaper = "";
  if (theme) document.body.dataset.jpThemeLight = "true";
  for (const [name, value] of Object.entries(LIGHT)) root.style.setProperty(name, value);
  const undo = [];
  try {
    for (const el of [root, ...root.querySelectorAll("*")]) for (const side of ["before", "after"]) stand(el, side, undo);
    return look();
  } finally {
    undo.forEach((back) => back());
    root.style.cssText = before;
    if (theme) document.body.dataset.jpThemeLight = theme;
    void root.offsetWidth;
    delete root.dataset.alPaper;
    still.remove();
  }
}

// An element in place of a pseudo-element, which has no place of its own that one could ask for.
function stand(el, side, undo) {
  const look = getComputedStyle(el, `::${side}`), content = look.content;
  const given = content.match(/^attr\(([\w-]+)\)$/);
  if (!given && content[0] !== '"') return;
  const real = document.createElement("span");
  for (const name of look) real.style.setProperty(name, look.getPropertyValue(name));
  real.textContent = given ? el.getAttribute(given[1]) : content.slice(1, -1);
  const mark = side === "before" ? "alBefore" : "alAfter";
  el.dataset[mark] = "";
  el[side === "before" ? "prepend" : "append"](real);
  undo.push(() => {
    real.remove();
    delete el.dataset[mark];
  });
}

// ---- dots ---------------------------------------------------------------------------------------------------------

async function raster(svg, width, height) {
  const scale = Math.min(DPI / CSS_DPI, Math.sqrt(MOST_PIXELS / (width * height)), LONGEST_SIDE / Math.max(width, height));
  const image = new Image();
  image.src = URL.createObjectURL(as("svg", svg));
  try {
    await image.decode();
    const sheet = document.createElement("canvas");
    [sheet.width, sheet.height] = [width, height].map((side) => Math.round(side * scale));
    sheet.getContext("2d").drawImage(image, 0, 0, sheet.width, sheet.height);
    const blob = await new Promise((resolve) => sheet.toBlob(resolve, "image/png"));
    return withResolution(new Uint8Array(await blob.arrayBuffer()), (scale * CSS_DPI) / 0.0254);
  } finally {
    URL.revokeObjectURL(image.src);
  }
}

// A PNG that says how many dots make a metre, so that a page shows it as large as the panel was.
function withResolution(png, dots) {
  const chunk = new DataView(new ArrayBuffer(21));
  chunk.setUint32(0, 9);
  [..."pHYs"].forEach((letter, i) => chunk.setUint8(4 + i, letter.charCodeAt(0)));
  chunk.setUint32(8, Math.round(dots));
  chunk.setUint32(12, Math.round(dots));
  chunk.setUint8(16, 1);
  chunk.setUint32(17, crc(new Uint8Array(chunk.buffer, 4, 13)));
  const header = 33; // its mark and IHDR
  return as("png", new Blob([png.subarray(0, header), chunk, png.subarray(header)]));
}

function crc(bytes) {
  let c = ~0;
  for (const byte of bytes) {
    c ^= byte;
    for (let bit = 0; bit < 8; bit++) c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1;
  }
  return ~c >>> 0;
}
