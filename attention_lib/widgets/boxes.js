// Knobs above, boxes with small tables below. Python says what every box holds; here it is only shown.

const SWITCH = "check";

function buildKnob(knob, ask) {
  const root = make(knob.kind === SWITCH ? "label" : "div", "al-lever");
  root.dataset.knob = knob.name;
  if (knob.kind === SWITCH) {
    const box = make("input");
    box.type = "checkbox";
    box.addEventListener("change", () => ask(knob.name, box.checked));
    if (knob.brief) box.setAttribute("aria-label", knob.named);
    root.append(box, make("span", "", knob.brief || knob.label));
    return { root, update: ({ value }) => (box.checked = value) };
  }
  if (knob.kind === "button") {
    const button = make("button", "al-button", knob.label);
    button.type = "button";
    button.addEventListener("click", () => {
      if (button.getAttribute("aria-disabled") === "false") ask(knob.name, true);
    });
    root.append(button);
    return { root, update: ({ value }) => button.setAttribute("aria-disabled", String(!value)) };
  }
  const label = make("span", "al-legend", knob.label);
  if (knob.kind === "choice") {
    const menu = make("select", "al-input");
    menu.setAttribute("aria-label", knob.label);
    knob.options.forEach((text, i) => menu.append(new Option(text, i)));
    menu.addEventListener("change", () => ask(knob.name, Number(menu.value)));
    root.append(label, menu);
    return { root, update: ({ value }) => (menu.value = value) };
  }
  const limits = () => { // aria-disabled, not disabled: the focus would be lost at the last step
    back.setAttribute("aria-disabled", String(Number(slider.value) <= Number(slider.min)));
    next.setAttribute("aria-disabled", String(Number(slider.value) >= Number(slider.max)));
  };
  const { slider, step: turn, write } = dial(knob.label, {}, (value, callbacks) => ask(knob.name, value, callbacks), limits);
  const step = (text, name, by) => {
    const button = make("button", "al-button", text);
    button.type = "button";
    button.setAttribute("aria-label", name);
    button.title = name;
    button.addEventListener("click", () => {
      if (button.getAttribute("aria-disabled") === "false") turn(by);
    });
    return button;
  };
  const shown = make("output", "al-shown");
  const back = step("◀", knob.back, -1), next = step("▶", knob.next, 1);
  root.append(label, back, slider, next, shown);
  return {
    root,
    update({ value, low, high, text }) {
      Object.assign(slider, { min: low, max: high });
      write(value);
      slider.setAttribute("aria-valuetext", text);
      shown.textContent = text;
    },
  };
}

function buildTable(table, named) {
  const el = make("table", "al-table");
  if (table.caption) el.append(make("caption", "", table.caption));
  else el.setAttribute("aria-label", named);
  const head = el.insertRow();
  head.append(make("td"));
  const th = (row, scope, text) => {
    const cell = make("th", "al-label", text);
    cell.scope = scope;
    row.append(cell);
  };
  table.columns.forEach((text) => th(head, "col", text));
  table.rows.forEach((text, i) => {
    const row = el.insertRow();
    th(row, "row", text);
    table.text[i].forEach((number, j) => {
      const cell = make("td", "al-number", number);
      const shade = table.shade?.[i][j];
      if (shade !== undefined && shade !== null) {
        cell.classList.add("al-shaded");
        cell.style.backgroundColor = colour(shade);
      }
      const mark = table.marks?.[i][j];
      if (mark) cell.classList.add(`al-${mark}`);
      row.append(cell);
    });
  });
  return el;
}

function buildBox(name, knobs) {
  const root = make("section", "al-box");
  root.dataset.box = name;
  const head = make("div", "al-head"), title = make("span", "al-legend"), note = make("span", "al-note");
  const arrow = make("span", "al-arrow", "→");
  arrow.setAttribute("aria-hidden", "true");
  head.append(arrow, title, ...knobs.map((knob) => knob.root), note);
  const tables = make("div", "al-tables"), lines = make("div", "al-lines"), words = make("div", "al-words");
  root.append(head, tables, lines, words);
  const write = (el, texts) => {
    el.replaceChildren(...texts.map((text) => make("div", "", text)));
    el.hidden = texts.length === 0;
  };
  return {
    root,
    update(box) {
      root.className = `al-box${box.mark ? ` al-box-${box.mark}` : ""}`;
      root.setAttribute("aria-label", box.title);
      title.textContent = box.title;
      arrow.hidden = !box.follows;
      note.textContent = box.note ?? "";
      note.hidden = !box.note;
      tables.replaceChildren(...box.tables.map((table) => buildTable(table, box.title)));
      tables.hidden = box.tables.length === 0;
      write(lines, box.lines);
      write(words, box.words);
    },
  };
}

function render({ model, el, signal }) {
  el.classList.add("al-tool", "al-knobbed");
  const ask = (name, value, callbacks) => model.send({ turn: [name, value] }, callbacks);
  const knobs = new Map(model.get("knobs").map((knob) => [knob.name, { ...knob, ...buildKnob(knob, ask) }]));
  const bar = make("div", "al-levers");
  bar.append(...[...knobs.values()].filter((knob) => !knob.box).map((knob) => knob.root));
  const told = make("div", "al-told");
  told.setAttribute("role", "status");
  const progress = make("div", "al-progress"), gauge = make("progress"), count = make("span", "al-shown");
  progress.append(gauge, count);
  const flow = make("div", "al-boxes");
  const boxes = new Map();
  el.append(bar, progress, told, flow, errorLine(model, signal));

  const turn = () => knobs.forEach((knob, name) => knob.update(model.get("turned")[name]));
  const show = () => {
    told.textContent = model.get("told");
    told.hidden = !told.textContent;
    const now = model.get("boxes");
    flow.classList.toggle("al-flow", now.some((box) => box.follows));
    now.forEach((box) => {
      if (!boxes.has(box.name)) {
        const mine = [...knobs.values()].filter((knob) => knob.box === box.name);
        boxes.set(box.name, buildBox(box.name, mine));
        flow.append(boxes.get(box.name).root);
      }
      boxes.get(box.name).update(box);
    });
    boxes.forEach(({ root }, name) => (root.hidden = !now.some((box) => box.name === name)));
    now.forEach((box, i) => { // what has its place already stays in the page, and keeps the focus
      const { root } = boxes.get(box.name);
      if (flow.children[i] !== root) flow.insertBefore(root, flow.children[i]);
    });
  };
  const move = () => {
    const { share, text, name } = model.get("progress");
    progress.hidden = share === undefined;
    if (progress.hidden) return;
    gauge.value = share;
    gauge.setAttribute("aria-label", name);
    count.textContent = text;
  };
  turn();
  show();
  move();
  model.on("change:progress", move);
  model.on("change:turned", turn);
  model.on("change:boxes", show);
  model.on("change:told", show);
  model.on("change:message", () => model.get("message") && turn()); // what was refused goes back
}

export default widget(render);
