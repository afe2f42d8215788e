// Sliders for whole numbers.

function render({ model, el, signal }) {
  el.classList.add("al-tool");
  const root = make("div", "al-knobs");
  const knobs = model.get("frame").knobs.map(({ key, label, ...range }) => {
    const box = make("label", "al-knob");
    const slider = make("input"), value = make("output");
    Object.assign(slider, { type: "range", ...range });
    slider.setAttribute("aria-label", label);
    slider.addEventListener("input", () => {
      value.textContent = slider.value;
      model.send({ turn: [key, Number(slider.value)] });
    });
    box.append(make("span", "", label), slider, value);
    root.append(box);
    return { key, slider, value };
  });
  el.append(root, errorLine(model, signal));

  const update = () => knobs.forEach(({ key, slider, value }) => {
    slider.value = model.get("values")[key];
    value.textContent = slider.value;
  });
  update();
  model.on("change:values change:message", update);
}

export default widget(render);
