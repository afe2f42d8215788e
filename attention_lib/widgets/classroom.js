// The classroom: a blackboard, a seeker with something in mind, students at their desks, and lines between them.
// All numbers come as text from Python; here they are only placed.

const SVG = "http://www.w3.org/2000/svg";
const SEAT = 11.4, GAP = 1; // em: the least width of a desk, the space between desks
const THICK = 1.5; // em: the line of weight 1

function draw(tag, attributes, ...children) {
  const el = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) el.setAttribute(name, value);
  el.append(...children);
  return el;
}

const write = (el, text) => {
  if (el.textContent !== text) el.textContent = text;
};

// "W_Q" and "d_k" with a subscript.
function formula(text) {
  const el = make("span", "al-cl-chalk");
  text.split(/_(\w)/).forEach((part, i) => el.append(i % 2 ? make("sub", "", part) : part));
  return el;
}

// ---- people -------------------------------------------------------------------------------------------------

const SKIN = ["#f6d2b3", "#e8b58c", "#c98b5e", "#f2c6a0", "#8f5b3a"];
const HAIR = ["#2b211d", "#4a2c1d", "#1c1c22", "#7a4a24", "#3a2a44", "#5b5550"];
const SHIRT = ["#5b8fc7", "#d9825b", "#5fa98a", "#b583b8", "#c9a544", "#6d7fb3", "#c76b7e", "#7c9a52"];
const TOP = "M25 43 C20 4 80 4 75 43 C72 32 66 29 58 30 C48 32 34 26 25 43 Z";

// Each style: what is behind the head, what is in front of it.
const STYLES = [
  () => [[], [["path", { d: TOP }]]],
  () => [[["path", { d: "M21 74 C14 -8 86 -8 79 74 Z" }]], [["path", { d: "M25 43 C21 2 79 2 75 43 C63 30 37 30 25 43 Z" }]]],
  () => [[["circle", { cx: 50, cy: 9, r: 9 }]], [["path", { d: TOP }]]],
  () => [[["circle", { cx: 21, cy: 26, r: 11 }], ["circle", { cx: 79, cy: 26, r: 11 }]],
    [["path", { d: "M26 42 C20 3 80 3 74 42 C66 28 54 27 50 20 C46 27 34 28 26 42 Z" }]]],
  () => [[], [28, 37, 46, 55, 64, 72].map((cx, i) => ["circle", { cx, cy: [30, 21, 17, 17, 21, 30][i], r: 9 }])],
  () => [[["path", { d: "M70 24 C96 26 92 62 82 74 C84 54 80 42 70 40 Z" }]], [["path", { d: TOP }]]],
  () => [[], [["path", { d: "M24 42 L25 22 L33 27 L37 11 L45 20 L53 8 L58 19 L68 12 L68 26 L77 24 L76 42 C70 30 32 30 24 42 Z" }]]],
  () => [[["path", { d: "M23 88 C8 20 24 8 50 9 C76 8 92 20 77 88 C70 92 62 70 50 70 C38 70 30 92 23 88 Z" }]],
    [["path", { d: "M25 44 C22 10 42 8 50 14 C58 8 78 10 75 44 C68 36 60 32 50 20 C40 32 32 36 25 44 Z" }]]],
];

function person(who) {
  const skin = SKIN[who % SKIN.length], hair = HAIR[(who * 5 + 1) % HAIR.length], shirt = SHIRT[who % SHIRT.length];
  const [behind, front] = STYLES[who % STYLES.length]();
  const shape = ([tag, attributes]) => draw(tag, { ...attributes, fill: hair });
  const mouth = draw("ellipse", { class: "al-cl-mouth", cx: 50, cy: 57, rx: 5.5, ry: 3, fill: "#7a2530" });
  const face = draw("g", { class: "al-cl-face" },
    draw("circle", { cx: 41, cy: 45, r: 3, fill: "#2a2320" }), draw("circle", { cx: 59, cy: 45, r: 3, fill: "#2a2320" }),
    draw("ellipse", { cx: 35, cy: 53, rx: 4.5, ry: 3, fill: "#e0605a", opacity: 0.35 }),
    draw("ellipse", { cx: 65, cy: 53, rx: 4.5, ry: 3, fill: "#e0605a", opacity: 0.35 }),
    draw("path", { class: "al-cl-smile", d: "M42 55 Q50 63 58 55", fill: "none", stroke: "#7a2530", "stroke-width": 2.6, "stroke-linecap": "round" }),
    mouth);
  if (who % 4 === 3) {
    for (const cx of [41, 59]) face.append(draw("circle", { cx, cy: 45, r: 7.5, fill: "none", stroke: "#33333a", "stroke-width": 2.2 }));
    face.append(draw("path", { d: "M48.5 45 h3", stroke: "#33333a", "stroke-width": 2.2 }));
  }
  const figure = draw("svg", { class: "al-cl-person", viewBox: "0 0 100 112", "aria-hidden": "true", focusable: "false" },
    ...behind.map(shape),
    draw("path", { d: "M8 114 C6 86 30 78 50 78 C70 78 94 86 92 114 V200 H8 V114 Z", fill: shirt }),
    draw("path", { d: "M41 62 H59 V80 C55 86 45 86 41 80 Z", fill: skin }), draw("path", { d: "M41 68 C45 76 55 76 59 68 V72 C55 79 45 79 41 72 Z", fill: "#000", opacity: 0.12 }),
    draw("ellipse", { cx: 50, cy: 44, rx: 25, ry: 27, fill: skin }),
    draw("circle", { cx: 25, cy: 46, r: 5, fill: skin }), draw("circle", { cx: 75, cy: 46, r: 5, fill: skin }),
    face, draw("g", {}, ...front.map(shape)),
    draw("g", { class: "al-cl-back" }, draw("ellipse", { cx: 50, cy: 41, rx: 27, ry: 30, fill: hair })),
    draw("path", { class: "al-cl-cord al-cl-from2", d: "M39 80 L50 104 L61 80", fill: "none", stroke: "#2f3a4a", "stroke-width": 2.6 }),
    screen());
  return { figure, speak: (share) => mouth.setAttribute("ry", String(2 + 6 * Math.max(0, Math.min(1, share)))) };
}

// A folding screen: in front of whom the mask hides.
function screen() {
  const panel = (x, up) => draw("path", { d: `M${x} ${52 + up} L${x + 30} ${58 - up} V200 H${x} Z`, fill: "#d8d2c4", stroke: "#55504a", "stroke-width": 2.5 });
  const hatch = [14, 24, 44, 54, 74, 84].map((x) => draw("path", { d: `M${x - 6} 108 L${x + 6} 76`, stroke: "#55504a", "stroke-width": 2 }));
  return draw("g", { class: "al-cl-screen" }, panel(4, 3), panel(34, -3), panel(64, 3), ...hatch);
}

function badge(letter, kind) {
  const el = make("span", `al-cl-badge al-cl-${kind}`, letter);
  el.setAttribute("aria-hidden", "true");
  return el;
}

function titled(letter, kind, caption) {
  const el = make("div", "al-cl-titled");
  el.append(badge(letter, kind), make("span", "al-cl-caption", caption));
  return el;
}

function waves() {
  const arc = (r) => draw("path", { d: `M${20 - r} ${20 - r} A${r * 1.4} ${r * 1.4} 0 0 0 ${20 - r} ${20 + r}`, fill: "none", stroke: "currentColor", "stroke-width": 2.6, "stroke-linecap": "round" });
  return draw("svg", { class: "al-cl-waves", viewBox: "0 0 24 40", "aria-hidden": "true" }, arc(5), arc(10), arc(15));
}

// ---- the two rows of choices: radio buttons -------------------------------------------------------------------------

function choices(legend, className, options, chosen) {
  const box = make("fieldset", `al-cl-choices ${className}`);
  box.append(make("legend", "", legend));
  const group = className + Math.random().toString(36).slice(2); // one group a view, though each widget loads this anew
  const inputs = options.map(({ value, text }) => {
    const label = make("label", "al-cl-choice");
    const input = make("input");
    input.type = "radio";
    input.name = group;
    input.value = String(value);
    input.addEventListener("change", () => input.checked && chosen(value));
    label.append(input, make("span", "", text));
    box.append(label);
    return input;
  });
  box.addEventListener("keydown", (event) => { // as the browser would, but JupyterLab takes the arrows away
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    const i = (inputs.indexOf(event.target) + by + inputs.length) % inputs.length;
    inputs[i].checked = true;
    inputs[i].focus();
    chosen(options[i].value);
  });
  return { box, choose: (value) => inputs.forEach((input) => (input.checked = input.value === String(value))) };
}

// ---- a student: figure, label, speech bubble, desk ------------------------------------------------------------------

function student(name, who, words, itself, clicked) {
  const root = make("button", "al-cl-student");
  root.type = "button";
  root.addEventListener("click", clicked);
  const { figure, speak } = person(who);
  const figureBox = make("span", "al-cl-figure");
  figureBox.append(figure);
  const bubble = make("span", "al-cl-bubble al-cl-from4"), value = make("span", "al-cl-vector");
  bubble.append(badge("V", "v"), value);
  const tag = make("span", "al-cl-tag al-cl-from2"), key = make("span", "al-cl-vector");
  tag.append(badge("K", "k"), key);

  const desk = make("span", "al-cl-desk");
  const plate = make("span", "al-cl-plate");
  const own = make("span", "al-cl-own", words.itself);
  const mark = make("span", "al-cl-mark");
  plate.append(make("span", "al-cl-name", name), own, mark);
  const score = make("b", "al-cl-number"), weight = make("b", "al-cl-number"), percent = make("span", "al-cl-percent");
  const scoreBox = make("span", "al-cl-fact al-cl-from3"), weightBox = make("span", "al-cl-fact al-cl-from4");
  scoreBox.append(make("span", "al-cl-caption", words.score), score);
  weightBox.append(make("span", "al-cl-caption", words.weight), weight);
  const facts = make("span", "al-cl-facts");
  facts.append(scoreBox, weightBox);
  const meter = make("span", "al-cl-meter al-cl-from4"), track = make("span", "al-cl-track"), fill = make("span", "al-cl-fill");
  track.append(fill);
  meter.append(track, percent);
  desk.append(plate, facts, meter);
  root.append(figureBox, bubble, tag, desk);
  return {
    root, figureBox,
    update(one, focused) {
      write(key, one.key);
      write(value, one.value);
      write(score, one.score);
      write(weight, one.weight);
      write(percent, one.percent);
      write(mark, one.mark);
      own.hidden = !one.itself;
      mark.hidden = !one.mark;
      root.classList.toggle("al-cl-turned", Boolean(one.mark));
      root.classList.toggle("al-cl-focused", focused);
      root.setAttribute("aria-pressed", String(focused));
      root.style.setProperty("--share", String(Math.max(0, Math.min(1, one.share))));
      speak(one.share);
    },
    tell(text) {
      root.setAttribute("aria-label", text);
    },
  };
}

// ---- lines from the seeker to each student ------------------------------------------------------------------------

// Straight to the first row; further back through the aisle next to the student, behind nobody's desk.
function routes(room, from, students) {
  const origin = room.getBoundingClientRect();
  const place = (el) => {
    const r = el.getBoundingClientRect();
    return { left: r.left - origin.left, right: r.right - origin.left, top: r.top - origin.top, bottom: r.bottom - origin.top,
      middle: (r.left + r.right) / 2 - origin.left };
  };
  const start = place(from), seats = students.map(({ root }) => place(root)), heads = students.map(({ figureBox }) => place(figureBox));
  const rows = [];
  seats.forEach((seat, i) => {
    const row = rows.find((r) => Math.abs(r.top - seat.top) < 4);
    if (row) row.seats.push(i);
    else rows.push({ top: seat.top, seats: [i] });
  });
  const full = rows[0].seats.map((i) => seats[i]);
  const edge = Math.min(14, full[0].left / 2);
  const aisles = [full[0].left - edge, ...full.slice(1).map((seat, i) => (full[i].right + seat.left) / 2), full.at(-1).right + edge];
  const paths = [];
  rows.forEach((row, r) => row.seats.forEach((i) => {
    const x = heads[i].middle, y = heads[i].top + 6, sx = start.middle, sy = start.bottom - 2;
    const first = rows[0].top, bend = sy + (first - sy) * 0.6;
    if (r === 0) {
      paths[i] = `M${sx} ${sy} C${sx} ${bend} ${x} ${bend} ${x} ${first + 8} V${Math.max(y, first + 8)}`;
      return;
    }
    const aisle = aisles.reduce((best, a) => (Math.abs(a - x) < Math.abs(best - x) ? a : best)) + (r - rows.length / 2) * 5;
    const last = Math.max(...rows[r - 1].seats.map((k) => seats[k].bottom));
    paths[i] = `M${sx} ${sy} C${sx} ${bend} ${aisle} ${bend} ${aisle} ${first + 8} V${last - 6} C${aisle} ${last + 12} ${x} ${last - 2} ${x} ${y}`;
  }));
  return paths;
}

// ---- the whole --------------------------------------------------------------------------------------------------

function render({ model, el, signal }) {
  const { words, steps, seekers, students: names, same } = model.get("frame");
  el.classList.add("al-classroom");
  const inside = make("div", "al-cl-school");

  const walk = (step) => {
    model.set("step", step);
    model.save_changes();
  };
  const stepper = choices(words.step, "al-cl-steps", steps, walk);
  const picker = choices(words.seeker, "al-cl-seekers", seekers.map((text, value) => ({ text, value })),
    (seeker) => model.send({ seeker }));
  const bar = make("div", "al-cl-controls");
  bar.append(stepper.box, picker.box);

  const room = make("div", "al-cl-room");
  room.setAttribute("role", "group");
  const lines = draw("svg", { class: "al-cl-lines", "aria-hidden": "true", focusable: "false" });

  const board = make("div", "al-cl-board");
  const panes = steps.map(({ value }) => {
    const pane = make("div", "al-cl-pane");
    pane.dataset.pane = String(value);
    const title = make("div", "al-cl-chalk-title"), formulas = make("div", "al-cl-formulas"), line = make("div", "al-cl-chalk-line");
    pane.append(title, formulas, line);
    board.append(pane);
    return { pane, update(content) {
      write(title, content.title);
      if (formulas.dataset.text !== content.formulas.join("\n")) {
        formulas.dataset.text = content.formulas.join("\n");
        formulas.replaceChildren(...content.formulas.map(formula));
      }
      write(line, content.line);
    } };
  });
  const query = make("div", "al-cl-query");
  const queryText = make("span", "al-cl-vector"), queryName = make("span");
  query.append(badge("Q", "chalked"), queryName, queryText);
  board.append(query);
  const wall = make("div", "al-cl-wall");
  wall.append(board);

  const front = make("div", "al-cl-front");
  const thought = make("div", "al-cl-thought"), thoughtText = make("span", "al-cl-vector");
  thought.append(titled("Q", "q", words.mind), thoughtText);
  const seeker = make("div", "al-cl-seeker");
  const standing = make("div", "al-cl-figure"), sign = make("div", "al-cl-sign"), signName = make("b", "al-cl-name");
  sign.append(signName, make("span", "al-cl-caption", words.looking));
  seeker.append(standing, sign);
  const heard = make("div", "al-cl-hears al-cl-from4"), heardText = make("span", "al-cl-vector");
  heard.append(waves(), titled("output", "o", words.hears), heardText);
  front.append(thought, seeker, heard);

  const desks = make("div", "al-cl-desks");
  const students = names.map((name, j) => {
    const one = student(name, j, words, true, () => model.send({ student: model.get("scene").focus === j ? null : j }));
    desks.append(one.root);
    return one;
  });
  const paths = names.map(() => ({ sight: draw("path", { class: "al-cl-sight" }), line: draw("path", { class: "al-cl-line" }),
    flow: draw("path", { class: "al-cl-flow", pathLength: 100 }) }));
  paths.forEach(({ sight, line }) => lines.append(sight, line));
  paths.forEach(({ flow }) => lines.append(flow));
  room.append(lines, wall, front, desks);

  const mix = make("div", "al-cl-mix");
  mix.classList.toggle("al-cl-many", names.length > 4);
  const mixHead = make("span", "al-cl-mix-head"), mixName = make("b");
  mixHead.append(mixName, " ", words.hears, make("span", "al-cl-before4", " = ?"));
  const term = (sign, name) => {
    const root = make("span", "al-cl-term al-cl-from4"), text = make("span", "al-cl-product"), part = make("span", "al-cl-part");
    const mark = make("span", "al-cl-product", sign);
    part.append(make("span", "al-cl-caption", name), text);
    root.append(mark, part);
    mix.append(root);
    return { root, text, mark };
  };
  mix.append(mixHead);
  const terms = names.map((name, j) => term(j ? "+" : "", name));
  const result = term("", "output");
  result.root.classList.add("al-cl-result");
  const sum = make("span", "al-cl-total al-cl-from4");
  mix.append(sum);

  const note = make("div", "al-cl-note");
  const legend = make("div", "al-cl-legend");
  legend.append(make("span", "", words.click), make("span", "al-cl-from4", words.legend));
  const error = errorLine(model, signal);
  inside.append(bar, note, room, mix, legend, error);
  el.append(inside);

  let standingFor = null;
  const show = () => {
    const scene = model.get("scene");
    picker.choose(scene.seeker);
    if (standingFor !== scene.seeker) {
      standingFor = scene.seeker;
      standing.replaceChildren(person(same ? scene.seeker : scene.seeker + names.length).figure);
    }
    write(signName, scene.name);
    write(queryName, scene.name);
    write(queryText, `q = ${scene.query}`);
    write(thoughtText, scene.query);
    write(heardText, scene.output);
    write(mixName, scene.name);
    panes.forEach((pane, i) => pane.update(scene.board[i]));
    students.forEach((one, j) => one.update(scene.students[j], scene.focus === j));
    terms.forEach(({ text }, j) => write(text, `${scene.students[j].weight} × ${scene.students[j].value}`));
    write(result.mark, scene.equals);
    write(result.text, scene.output);
    write(sum, `${words.sum} ${scene.wrong ? "≠ 1: " : ""}${scene.total}`);
    sum.classList.toggle("al-cl-wrong", scene.wrong);
    write(note, scene.note);
    note.hidden = !scene.note;
    paths.forEach(({ sight, line, flow }, j) => {
      const { share, mark } = scene.students[j];
      for (const path of [sight, line, flow]) path.classList.toggle("al-cl-none", Boolean(mark) || (path !== sight && share <= 0));
      line.style.strokeWidth = `${Math.max(0.08, Math.min(1, share) * THICK)}em`;
      line.classList.toggle("al-cl-asked", scene.focus === j);
    });
    say();
  };
  const say = () => {
    const scene = model.get("scene"), upTo = model.get("step") === "all" ? 4 : model.get("step");
    room.setAttribute("aria-label", scene.summary[upTo - 1]);
    students.forEach((one, j) => one.tell(scene.students[j].told.slice(0, upTo === 4 ? undefined : upTo).join(words.between)));
  };
  const turn = () => {
    const step = model.get("step");
    inside.dataset.step = String(step);
    stepper.choose(step);
    panes.forEach(({ pane }) => (pane.ariaHidden = String(pane.dataset.pane !== String(step))));
    say();
  };
  const back = () => picker.choose(model.get("scene").seeker); // a choice that was refused

  const arrange = () => {
    const em = parseFloat(getComputedStyle(desks).fontSize), width = desks.clientWidth;
    if (!width) return; // not on the page yet
    const most = Math.max(1, Math.floor((width + GAP * em) / ((SEAT + GAP) * em)));
    const rows = Math.ceil(names.length / most);
    const columns = Math.ceil(names.length / rows);
    desks.style.setProperty("--columns", String(columns));
    // Larger people and numbers where a row of two numbers still fits into a speech bubble.
    desks.classList.toggle("al-cl-roomy", (width + GAP * em) / columns - GAP * em > 16.8 * em);
    routes(room, sign, students).forEach((d, j) => {
      for (const path of Object.values(paths[j])) path.setAttribute("d", d);
    });
  };
  const sized = new ResizeObserver(arrange);
  [room, front, ...students.map(({ root }) => root)].forEach((part) => sized.observe(part));
  signal?.addEventListener("abort", () => sized.disconnect());

  show(); turn();
  model.on("change:scene", show);
  model.on("change:step", () => {
    turn();
    if ([4, "all"].includes(model.get("step"))) { // what is said runs to the seeker, once
      lines.classList.remove("al-cl-flowing");
      void lines.getBoundingClientRect();
      lines.classList.add("al-cl-flowing");
    }
  });
  model.on("change:message", back);
}

export default widget(render);
