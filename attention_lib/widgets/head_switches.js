// A switch for each head, and a line that says what is switched off.

function render({ model, el, signal }) {
  const frame = model.get("frame");
  el.classList.add("al-tool");
  const root = make("div", "al-heads");
  root.setAttribute("role", "group");
  root.setAttribute("aria-label", frame.legend);
  const row = make("div", "al-buttons");
  row.append(make("span", "al-legend", frame.legend));
  const switches = frame.labels.map((label, i) => {
    const b = make("button", "al-button al-onoff", label);
    b.type = "button";
    b.setAttribute("role", "switch");
    b.setAttribute("aria-label", frame.names[i]);
    b.addEventListener("click", () => model.send({ toggle: i }));
    row.append(b);
    return b;
  });
  const told = make("div", "al-told");
  told.setAttribute("role", "status");
  root.append(row, told);
  el.append(root, errorLine(model, signal));

  const update = () => {
    switches.forEach((b, i) => b.setAttribute("aria-checked", String(model.get("on")[i])));
    told.textContent = model.get("told");
  };
  update();
  model.on("change:on change:told", update);
}

export default widget(render);
