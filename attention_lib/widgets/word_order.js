// Words as cards: drag one to another place, or move it with its arrows.

function render({ model, el, signal }) {
  const frame = model.get("frame");
  el.classList.add("al-tool");
  const root = make("div", "al-order");
  const head = make("div", "al-buttons");
  head.append(make("span", "al-legend", frame.legend));
  for (const name of ["written", "reversed"]) {
    const b = make("button", "al-button", frame[name]);
    b.type = "button";
    b.addEventListener("click", () => model.send({ order: name }));
    head.append(b);
  }
  head.append(make("span", "al-hint", frame.hint));
  const list = make("ol", "al-cards");
  list.setAttribute("aria-label", frame.legend);
  const told = make("div", "al-told");
  told.setAttribute("role", "status");
  root.append(head, list, told);
  el.append(root, errorLine(model, signal));

  let dragged = null; // the word under way, and where it stood
  const card = ({ word, itself, left, right, place }, i, all) => {
    const li = make("li", "al-card");
    li.draggable = true;
    const move = (by, sign, name, off) => {
      const b = make("button", "al-step", sign);
      b.type = "button";
      b.disabled = off;
      Object.assign(b.dataset, { itself, by });
      b.setAttribute("aria-label", name);
      b.addEventListener("click", () => model.send({ step: [itself, by] }));
      return b;
    };
    const label = make("span", "al-word", word);
    label.append(make("small", "", place));
    li.append(move(-1, "◀", left, i === 0), label, move(1, "▶", right, i === all.length - 1));
    li.addEventListener("dragstart", (event) => {
      dragged = { itself, from: i };
      event.dataTransfer.effectAllowed = "move";
      event.dataTransfer.setData("text/plain", word);
    });
    li.addEventListener("dragend", () => (dragged = null));
    li.addEventListener("dragover", (event) => {
      if (dragged === null) return;
      event.preventDefault();
      event.stopPropagation();
      li.classList.add("al-over");
    });
    li.addEventListener("dragleave", () => li.classList.remove("al-over"));
    li.addEventListener("drop", (event) => {
      if (dragged === null) return; // something from elsewhere
      event.preventDefault();
      event.stopPropagation();
      if (dragged.from !== i) model.send({ step: [dragged.itself, i - dragged.from] });
      dragged = null;
      li.classList.remove("al-over");
    });
    return li;
  };

  const cards = () => {
    const before = list.contains(document.activeElement) ? document.activeElement.dataset : {};
    list.replaceChildren(...model.get("cards").map(card));
    // the focus goes where its word goes
    const buttons = [...list.querySelectorAll(`button[data-itself="${before.itself}"]:not(:disabled)`)];
    (buttons.find((b) => b.dataset.by === before.by) ?? buttons[0])?.focus();
  };
  const tell = () => {
    told.textContent = model.get("told");
    told.dataset.differs = model.get("differs");
  };
  cards();
  tell();
  model.on("change:cards", cards);
  model.on("change:told change:differs", tell);
}

export default widget(render);
