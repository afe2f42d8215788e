// A slider grid: the ipywidgets sliders stand where the entries stand, each with a field to type into.

// As digits.short: at most ten decimals, at least one, never -0.0.
function short(x) {
  const clean = Number(x.toFixed(10)) + 0;
  return Number.isInteger(clean) ? clean.toFixed(1) : String(clean);
}

// The slider's own listeners send back what it snapped to its steps, also when the kernel set the value:
// a typed 0.25 would become 0.2. So they go, and only what a person does to the handle is sent, without dust.
function takeOver(view, slider, name) {
  const pad = view.el.querySelector(".noUi-target").noUiSlider;
  const handle = view.el.querySelector(".noUi-handle");
  const { put } = outbox((value, callbacks) => slider.send_sync_message({ value }, callbacks));
  handle.setAttribute("aria-label", name);
  const describe = () => {
    const value = slider.get("value");
    handle.setAttribute("aria-valuenow", short(value));
    handle.setAttribute("aria-valuetext", short(value));
  };
  const take = (values, which) => {
    const value = Number(short(values[which]));
    if (value !== slider.get("value")) {
      slider.set("value", value, { updated_view: view });
      put(value);
    }
    describe();
  };
  pad.off("update");
  pad.off("change");
  pad.on("slide", take);
  pad.on("change", take);
  return (options) => {
    if (options?.updated_view !== view) pad.set(slider.get("value"), false, true);
    describe();
  };
}

async function place(model, reference, slot, { field, write }, name, signal) {
  const manager = model.widget_manager;
  const slider = await manager.get_model(reference.replace("IPY_MODEL_", ""));
  const view = await manager.create_view(slider);
  if (signal?.aborted) return view.remove();
  slot.append(view.el);
  const follow = takeOver(view, slider, name);
  const rewrite = () => write(short(slider.get("value")));
  const changed = (_model, _value, options) => {
    follow(options);
    rewrite();
  };
  changed();
  slider.on("change:value change:min change:max", changed, field);
  signal?.addEventListener("abort", () => {
    slider.off(null, null, field);
    view.remove();
  });
  return rewrite;
}

async function render({ model, el, signal }) {
  const frame = model.get("frame");
  el.classList.add("al-edit");
  const root = make("figure", "al-matrix");
  root.dataset.matrix = frame.name;
  const title = make("figcaption", "al-title");
  title.append(make("b", "", frame.name), make("span", "al-name", frame.title), make("span", "al-shape", frame.shape));
  const reset = make("button", "al-reset", frame.reset);
  reset.type = "button";
  reset.setAttribute("aria-label", frame.resetName);
  reset.addEventListener("click", () => model.send({ reset: true }));
  title.append(reset);

  const table = make("table", "al-table");
  table.setAttribute("aria-label", `${frame.name} ${frame.title} ${frame.shape}`);
  const head = table.insertRow();
  head.append(make("td"));
  frame.columns.forEach((label) => {
    const th = make("th", "al-label", label);
    th.scope = "col";
    head.append(th);
  });
  root.append(title, table, errorLine(model, signal));
  el.append(root);

  const references = model.get("sliders");
  const cells = [];
  const waiting = frame.rows.map((label, i) => {
    const tr = table.insertRow();
    const th = make("th", "al-label", label);
    th.scope = "row";
    tr.append(th);
    cells.push([]);
    return frame.columns.map((_, j) => {
      const td = tr.insertCell();
      td.className = (j === 0 ? "al-first" : "") + (j === frame.columns.length - 1 ? " al-last" : "");
      const box = make("div", "al-entry");
      const cell = { box };
      const entry = numberField("al-field", frame.fieldNames[i][j], "decimal", {
        take: (text) => model.send({ typed: [i, j, text] }),
        back: () => cell.rewrite?.(),
      });
      const slot = make("div", "al-slot");
      box.append(entry.field, slot);
      td.append(box);
      cells[i].push(cell);
      return place(model, references[i * frame.columns.length + j], slot, entry, frame.sliderNames[i][j], signal)
        .then((rewrite) => (cell.rewrite = rewrite));
    });
  });

  const light = () => {
    const lit = model.get("lit");
    cells.forEach((row, i) => row.forEach(({ box }, j) =>
      box.classList.toggle("al-lit", lit.some(([r, c]) => (r === null || r === i) && (c === null || c === j)))));
  };
  light();
  model.on("change:lit", light);
  model.on("msg:custom", (message) => {
    if (message.settled) cells[message.settled[0]][message.settled[1]].rewrite?.();
  });
  await Promise.all(waiting.flat());
}

export default widget(render);
