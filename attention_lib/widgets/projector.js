// The button of the projector mode; what it switches is the whole page, and stands in page.js.

function render({ model, el, signal }) {
  const words = model.get("words");
  el.classList.add("al-tool");
  const root = make("div", "al-projector-switch");
  const button = make("button", "al-button", words.button);
  button.type = "button";
  button.addEventListener("click", () => project(projected() ? null : words));
  root.append(button, make("span", "al-note", words.note));
  el.append(root, errorLine(model, signal));

  const press = () => button.setAttribute("aria-pressed", String(Boolean(projected())));
  document.addEventListener(PROJECTOR, press, { signal });
  press();
}

// A call in a cell counts once, also where the cell is out of sight: a page that is drawn again shows what was chosen since.
function initialize({ model }) {
  const obey = () => {
    const wanted = model.get("wanted");
    if (wanted === null) return;
    model.set("wanted", null);
    model.save_changes();
    project(wanted ? model.get("words") : null);
  };
  model.on("change:wanted", obey);
  obey();
}

export default widget(render, initialize);
