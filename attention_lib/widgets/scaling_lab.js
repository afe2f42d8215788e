// The length of a key on a slider, 1 to 1024; what it does to scores, weights and gradient in a table with bars.

function meter(kind, head) {
  const cell = make("td");
  cell.dataset.kind = kind;
  cell.dataset.head = head; // stands above the number where there is no room for a row of heads
  const number = make("span", "al-number"), beside = make("span", "al-beside");
  const track = make("div", "al-track"), fill = make("div", "al-fill"), mark = make("div", "al-mark");
  track.append(fill, mark);
  cell.append(number, beside, track);
  return {
    cell,
    update({ text, note, from, to, at }) {
      number.textContent = text;
      beside.textContent = note;
      fill.style.left = `${100 * from}%`;
      fill.style.width = `${100 * (to - from)}%`;
      mark.style.left = `${100 * at}%`;
    },
  };
}

function buildRow(label, heads) {
  const tr = make("tr");
  const head = make("th");
  head.scope = "row";
  const verdict = make("span", "al-verdict");
  head.append(label, verdict);
  const meters = ["deviation", "largest", "gradient"].map((kind, i) => [kind, meter(kind, heads[i + 1])]);
  const shape = make("td");
  const columns = make("div", "al-columns");
  columns.setAttribute("role", "img");
  shape.append(columns);
  tr.append(head, ...meters.map(([, m]) => m.cell), shape);
  return {
    tr,
    update(row) {
      verdict.textContent = row.verdict;
      meters.forEach(([kind, m]) => m.update(row[kind]));
      columns.setAttribute("aria-label", row.named);
      while (columns.children.length < row.weights.length) columns.append(make("div"));
      row.weights.forEach((w, i) => (columns.children[i].style.height = `${100 * w}%`));
    },
  };
}

function render({ model, el, signal }) {
  const frame = model.get("frame");
  el.classList.add("al-tool");
  const root = make("div", "al-lab");
  const knob = make("div", "al-knob");
  const range = make("div", "al-range");
  const { slider, write: place } = dial(frame.slider, { min: 0, max: frame.ticks.length - 1 },
    (step, callbacks) => model.send({ step }, callbacks));
  const ticks = make("div", "al-ticks");
  ticks.setAttribute("aria-hidden", "true");
  frame.ticks.forEach((tick) => ticks.append(Object.assign(make("span"), { textContent: tick })));
  range.append(slider, ticks);
  const { field, write } = numberField("al-input", frame.field, "numeric", {
    take: (text) => model.send({ typed: text }),
    back: () => update(),
  });
  knob.append(make("span", "al-legend", "d_k ="), field, range);

  const wide = make("div", "al-wide");
  const table = make("table", "al-results");
  table.setAttribute("aria-label", frame.caption);
  const head = table.createTHead().insertRow();
  frame.heads.forEach((text) => {
    const th = make("th", "", text);
    th.scope = "col";
    head.append(th);
  });
  const body = table.createTBody();
  const rows = frame.rows.map((label) => {
    const row = buildRow(label, frame.heads);
    body.append(row.tr);
    return row;
  });
  wide.append(table);
  const error = errorLine(model, signal);
  root.append(knob, wide, make("div", "al-small", frame.note), error);
  el.append(root);

  const update = () => {
    const shown = model.get("shown");
    place(shown.step);
    write(shown.d_k);
    slider.setAttribute("aria-valuetext", `d_k = ${shown.d_k}`);
    rows.forEach((row, i) => row.update(shown.rows[i]));
  };
  update();
  model.on("change:shown change:message", update); // a choice that was refused goes back
}

export default widget(render);
