// Temperature: a slider over round numbers, a field for any other, and the weights of one row as bars.

function buildBars(frame) {
  const table = make("table", "al-shares");
  table.append(make("caption", "", frame.caption));
  const rows = frame.labels.map((label) => {
    const tr = table.insertRow();
    const th = make("th", "", label);
    th.scope = "row";
    const value = make("td", "al-value");
    const track = make("div", "al-track"), fill = make("div", "al-fill"), even = make("div", "al-even");
    track.append(fill, even);
    even.style.left = `${100 / frame.labels.length}%`;
    const cell = make("td");
    cell.append(track);
    tr.append(th, value, cell);
    return { value, fill };
  });
  return {
    table,
    update: (bars) => rows.forEach(({ value, fill }, i) => {
      value.textContent = bars[i].text;
      fill.style.width = `${100 * bars[i].share}%`;
    }),
  };
}

function render({ model, el, signal }) {
  const frame = model.get("frame");
  el.classList.add("al-tool");
  const root = make("div", "al-temperature");
  const knob = make("div", "al-knob");
  const { slider, write: place } = dial(frame.slider, { min: 0, max: frame.last },
    (step, callbacks) => model.send({ step }, callbacks));
  const { field, write } = numberField("al-input", frame.field, "decimal", {
    take: (text) => model.send({ typed: text }),
    back: () => update(),
  });
  const one = make("button", "al-button", "T = 1");
  one.type = "button";
  knob.append(make("span", "al-legend", frame.legend), slider, field, one);
  const ends = make("div", "al-ends");
  ends.append(make("span", "", frame.cold), make("span", "", frame.hot));
  const told = make("div", "al-told");
  const bars = buildBars(frame);
  const error = errorLine(model, signal);
  root.append(knob, ends, told, bars.table, error);
  el.append(root);

  one.addEventListener("click", () => model.send({ typed: "1" }));

  const update = () => {
    const shown = model.get("shown");
    place(shown.step);
    write(shown.T);
    slider.setAttribute("aria-valuetext", `T = ${shown.T}`);
    told.textContent = shown.told;
    bars.update(shown.bars);
  };
  update();
  model.on("change:shown change:message", update); // a choice that was refused goes back
}

export default widget(render);
