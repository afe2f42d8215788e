// Switches as groups of radio buttons; under each group a line says what the choice does to the numbers.

let made = 0; // radio buttons of one group share a name that no other group on the page has

function buildGroup(frame, send) {
  const id = `al-choice-${Date.now()}-${++made}`;
  const root = make("div", "al-choice");
  root.dataset.group = frame.name;
  root.setAttribute("role", "radiogroup");
  root.setAttribute("aria-labelledby", id);
  const legend = make("span", "al-legend", frame.legend);
  legend.id = id;
  const options = make("div", "al-options");
  const radios = frame.options.map(({ key, label }) => {
    const box = make("label", "al-option");
    const radio = make("input");
    radio.type = "radio";
    radio.name = `${id}-radio`;
    radio.value = key;
    radio.addEventListener("change", () => send(key));
    box.append(radio, label);
    options.append(box);
    return { key, radio, box };
  });
  const notes = make("div", "al-notes");
  notes.setAttribute("role", "status");
  const body = make("div", "al-body");
  body.append(options, notes);
  root.append(legend, body);
  return {
    root,
    update({ key, told, broken }) {
      radios.forEach((option) => {
        option.radio.checked = option.key === key;
        option.box.classList.toggle("al-on", option.key === key);
      });
      root.classList.toggle("al-faulty", frame.name === "fault" && key !== "none");
      const lines = told.map((line) => make("div", "al-note", line));
      if (broken !== "") lines.push(make("div", "al-note al-broken", broken));
      notes.replaceChildren(...lines);
    },
  };
}

function render({ model, el, signal }) {
  el.classList.add("al-tool");
  const root = make("div", "al-controls");
  const groups = model.get("frames").map((frame) => {
    const view = buildGroup(frame, (key) => model.send({ choose: [frame.name, key] }));
    root.append(view.root);
    return { name: frame.name, ...view };
  });
  const error = errorLine(model, signal);
  el.append(root, error);

  const update = () => groups.forEach((group) => group.update(model.get("chosen")[group.name]));
  // a choice that was refused goes back
  const back = () => model.get("message") && update();
  update();
  model.on("change:chosen", update);
  model.on("change:message", back);
}

export default widget(render);
