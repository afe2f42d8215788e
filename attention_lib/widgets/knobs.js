// Sliders for whole numbers.

function render({ model, el, signal }) {
  el.classList.add("al-tool");
  const root = make("div", "al-knobs");
  const knobs = model.get("frame").knobs.map(({ key, label, ...range }) => {
    const box = make("label", "al-knob");
    const value = make("output");
    const { slider, write } = dial(label, range, (now, callbacks) => model.send({ turn: [key, now] }, callbacks),
      () => (value.textContent = slider.value));
    box.append(make("span", "", label), slider, value);
    root.append(box);
    return { key, write };
  });
  el.append(root, errorLine(model, signal));

  const update = () => knobs.forEach(({ key, write }) => write(model.get("values")[key]));
  update();
  model.on("change:values change:message", update);
}

export default widget(render);
