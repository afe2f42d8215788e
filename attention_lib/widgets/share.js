// The state code, live, with a button that copies it; and a field for a code from somebody else.

let made = 0; // labels name their field by an id that is on the page only once

function line(label, input, button) {
  input.id = `al-share-${Date.now()}-${++made}`;
  const name = make("label", "", label);
  name.htmlFor = input.id;
  const row = make("div", "al-line"), entry = make("div", "al-entry");
  entry.append(input, button);
  row.append(name, entry);
  return row;
}

function field(text) {
  const input = make("input", "al-input");
  Object.assign(input, { type: "text", autocomplete: "off", spellcheck: false, placeholder: text });
  return input;
}

function press(label) {
  const button = make("button", "al-button", label);
  button.type = "button";
  return button;
}

// The clipboard is only there on https and on this computer; elsewhere the browser's older way still works.
async function copy(input) {
  try {
    await navigator.clipboard.writeText(input.value);
    return true;
  } catch {
    input.focus();
    input.select();
    return document.execCommand("copy");
  }
}

function render({ model, el, signal }) {
  const frame = model.get("frame");
  el.classList.add("al-tool");
  const root = make("div", "al-share");
  const code = field("");
  code.readOnly = true;
  code.addEventListener("focus", () => code.select());
  const copies = press(frame.copy);
  const pasted = field(frame.hint);
  const opens = press(frame.open);
  const told = make("div", "al-told");
  told.setAttribute("role", "status");
  const error = errorLine(model, signal);
  root.append(line(frame.code, code, copies), line(frame.paste, pasted, opens), told, error);
  el.append(root);

  copies.addEventListener("click", async () => {
    copies.textContent = (await copy(code)) ? frame.copied : frame.select;
    setTimeout(() => (copies.textContent = frame.copy), 2500);
  });
  const open = () => model.send({ open: pasted.value });
  opens.addEventListener("click", open);
  pasted.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.isComposing) open();
  });

  const write = () => {
    fill(code, model.get("code"));
  };
  const tell = () => {
    told.textContent = model.get("told");
    told.hidden = !told.textContent;
  };
  write();
  tell();
  model.on("change:code", write);
  model.on("change:told", tell);
}

export default widget(render);
