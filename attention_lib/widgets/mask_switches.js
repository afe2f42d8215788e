// The mask as a grid of switches: arrows walk, Space and Enter turn a pair over; a label turns its row or column.

function render({ model, el, signal }) {
  const frame = model.get("frame");
  el.classList.add("al-tool");
  const root = make("div", "al-mask");
  root.setAttribute("role", "group");
  root.setAttribute("aria-label", frame.legend);
  const head = make("div", "al-title");
  head.append(make("b", "", "mask"), make("span", "", frame.legend), make("span", "al-axes", frame.axes));

  const usual = make("div", "al-buttons");
  const choices = frame.usual.map(({ key, label }) => {
    const b = make("button", "al-button al-usual", label);
    b.type = "button";
    b.addEventListener("click", () => model.send({ usual: key }));
    usual.append(b);
    return { key, b };
  });
  const knob = make("label", "al-length");
  const said = make("span");
  const { slider, write } = dial(frame.length, { min: 1, max: frame.most },
    (length, callbacks) => model.send({ length }, callbacks));
  knob.append(make("span", "", frame.length), slider, said);

  const table = make("table", "al-switches");
  table.setAttribute("aria-label", frame.legend);
  const top = table.insertRow();
  top.append(make("td"));
  const line = (th, text, name, place) => {
    const b = make("button", "al-line", text);
    b.type = "button";
    b.tabIndex = -1;
    b.setAttribute("aria-label", name);
    b.title = name;
    b.addEventListener("click", () => model.send({ toggle: place }));
    th.append(b);
    return b;
  };
  const columns = frame.columns.map((label, j) => {
    const th = make("th");
    th.scope = "col";
    top.append(th);
    return line(th, label, frame.columnNames[j], [null, j]);
  });
  const grid = [[null, ...columns]]; // what the arrow keys walk through
  const switches = frame.rows.map((label, i) => {
    const tr = table.insertRow();
    const th = make("th");
    th.scope = "row";
    tr.append(th);
    const whole = line(th, label, frame.rowNames[i], [i, null]);
    const row = frame.columns.map((_, j) => {
      const b = make("button", "al-switch");
      b.type = "button";
      b.tabIndex = i === 0 && j === 0 ? 0 : -1;
      b.setAttribute("role", "switch");
      b.setAttribute("aria-label", frame.names[i][j]);
      b.addEventListener("click", () => model.send({ toggle: [i, j] }));
      tr.insertCell().append(b);
      return b;
    });
    grid.push([whole, ...row]);
    return row;
  });
  table.addEventListener("keydown", (event) => walk(event, grid));
  const told = make("div", "al-notes");
  told.setAttribute("role", "status");
  const body = make("div", "al-mask-body");
  body.append(table, make("div", "al-marks", frame.marks));
  root.append(head, usual);
  if (frame.length) root.append(knob);
  root.append(body, told);
  el.append(root, errorLine(model, signal));

  const update = () => {
    const allowed = model.get("allowed"), active = model.get("active"), length = model.get("length");
    switches.forEach((row, i) => row.forEach((b, j) => {
      b.setAttribute("aria-checked", String(allowed[i][j]));
      b.textContent = allowed[i][j] ? "✓" : "✕";
    }));
    choices.forEach(({ key, b }) => b.setAttribute("aria-pressed", String(key === active)));
    write(length);
    slider.setAttribute("aria-valuetext", frame.lengths[length]);
    said.textContent = frame.lengths[length];
    const lines = model.get("told").map((text) => make("div", "al-note", text));
    if (model.get("blind")) lines.push(make("div", "al-note al-broken", model.get("blind")));
    told.replaceChildren(...lines);
  };
  update();
  model.on("change:allowed change:active change:length change:told change:blind", update);
}

export default widget(render);
