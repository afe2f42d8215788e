// A line to type a sentence into; Enter or the button takes it.

function render({ model, el, signal }) {
  const frame = model.get("frame");
  el.classList.add("al-tool");
  const line = make("div", "al-sentence");
  const label = make("label", "al-legend", frame.legend);
  const field = make("input", "al-input");
  Object.assign(field, { type: "text", placeholder: frame.hint, autocomplete: "off" });
  label.append(" ", field);
  const button = make("button", "al-button", frame.take);
  button.type = "button";
  const take = () => model.send({ sentence: field.value });
  button.addEventListener("click", take);
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.isComposing) take(); // not the Enter that ends an input method's composition
  });
  line.append(label, button, make("span", "al-told", frame.told));
  el.append(line, errorLine(model, signal));
}

export default widget(render);
