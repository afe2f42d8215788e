// Buttons that set several inputs at once; the one in force is pressed, and a line says what it sets.

function render({ model, el, signal }) {
  const frame = model.get("frame");
  el.classList.add("al-tool");
  const root = make("div", "al-presets");
  root.setAttribute("role", "group");
  root.setAttribute("aria-label", frame.legend);
  const row = make("div", "al-buttons");
  const told = make("div", "al-told");
  told.setAttribute("role", "status");
  let pointed = null; // the button under the pointer or the focus

  const tell = () => {
    const about = pointed ?? frame.presets.find((preset) => preset.name === model.get("active"));
    told.textContent = about ? about.told : frame.changed;
  };
  const button = (className, preset, message) => {
    const b = make("button", `al-button ${className}`, preset.label);
    b.type = "button";
    b.title = preset.told;
    b.addEventListener("click", () => model.send(message));
    const point = (what) => () => {
      pointed = what;
      tell();
    };
    b.addEventListener("pointerenter", point(preset));
    b.addEventListener("pointerleave", point(null));
    b.addEventListener("focus", point(preset));
    b.addEventListener("blur", point(null));
    row.append(b);
    return b;
  };
  const buttons = frame.presets.map((preset) => {
    const b = button("al-preset", preset, { preset: preset.name });
    b.dataset.preset = preset.name;
    return b;
  });
  button("al-all", frame.reset, { reset: true });

  const error = errorLine(model, signal);
  const body = make("div", "al-body");
  body.append(row, told);
  root.append(make("span", "al-legend", frame.legend), body);
  el.append(root, error);

  const press = () => {
    buttons.forEach((b) => b.setAttribute("aria-pressed", String(b.dataset.preset === model.get("active"))));
    tell();
  };
  press();
  model.on("change:active", press);
}

export default widget(render);
