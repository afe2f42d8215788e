// Projector mode belongs to the whole page: a class on <body>, a style sheet, and a button that leads back. It is kept
// in this browser, so after a reload, or in another tab, the first of our panels brings it back.

const KEPT = "attention-lesson.projector";
const PROJECTOR = "al-projector"; // class of the body, id of the style sheet, name of the event

// The words for the page while it is on, else null.
function projected() {
  if (window.alProjector !== undefined) return window.alProjector;
  try {
    return JSON.parse(localStorage.getItem(KEPT));
  } catch {
    return null; // this browser keeps nothing
  }
}

// Switch it on, with words for the page's own button and for folded code, or off with null.
function project(words) {
  window.alProjector = words;
  try {
    if (words) localStorage.setItem(KEPT, JSON.stringify(words));
    else localStorage.removeItem(KEPT);
  } catch {
    // on until the page is left
  }
  const seen = document.elementFromPoint(innerWidth / 2, innerHeight / 3)?.closest(".jp-Cell");
  const had = document.activeElement;
  showProjected();
  window.dispatchEvent(new Event("resize")); // for what measures itself only then
  document.dispatchEvent(new Event(PROJECTOR));
  const place = had?.closest?.(".al-projector-switch") ?? seen;
  requestAnimationFrame(() => place?.scrollIntoView({ block: "nearest" }));
}

function showProjected() {
  const words = projected();
  document.body.classList.toggle(PROJECTOR, Boolean(words));
  if (!words) return;
  if (!document.getElementById(PROJECTOR)) furnish();
  document.querySelector(".al-projector-off").textContent = words.off;
  document.body.style.setProperty("--al-code-word", JSON.stringify(words.code));
}

function furnish() {
  const sheet = make("style", "", LARGE);
  sheet.id = PROJECTOR;
  document.head.append(sheet);
  const off = make("button", "al-button al-projector-off");
  off.type = "button";
  off.addEventListener("click", () => project(null));
  document.body.append(off);

  // Folded code: its heading opens and closes it; so do Enter and Escape where JupyterLab takes them for the cell.
  const open = (cell, yes) => cell?.classList.toggle("al-code-open", yes);
  document.addEventListener("click", ({ target }) => {
    if (target.matches?.(".al-projector .jp-CodeCell > .jp-Cell-inputWrapper")) open(target.parentElement);
  });
  window.addEventListener("keydown", (event) => {
    if (!projected() || event.shiftKey || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const cell = event.target.closest?.(".jp-CodeCell");
    if (event.key === "Enter" && event.target.matches?.(".jp-Cell, .jp-Notebook, .jp-WindowedPanel-outer")) {
      open(document.querySelector(".jp-Notebook:focus-within .jp-CodeCell.jp-mod-active"), true);
    }
    if (event.key === "Escape" && event.target.closest?.(".jp-InputArea-editor")) open(cell, false);
  }, true);
}
