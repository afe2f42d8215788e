// What all front ends share; Python puts this text, and page.js, before each of them, since anywidget loads one file a widget.

function make(tag, className, text) {
  const el = document.createElement(tag);
  if (className) el.className = className;
  if (text !== undefined) el.textContent = text;
  return el;
}

// Write into a field. A new value, not a new default, which shows as well until somebody types, is told to the whole page
// as a new selection, and then each code cell measures itself.
function fill(field, text) {
  if (field.value === text) return;
  field.defaultValue = text;
  if (field.value !== text) field.value = text;
}

// Moves on their way to the kernel: at most two, so that one is worked on while the next one travels, and after them the
// newest value only. Nothing piles up, so nothing replays. ``rested``: called when the kernel has dealt with the last one.
function outbox(post, rested) {
  let travelling = 0, next = null;
  const go = () => {
    if (next === null || travelling > 1) return;
    const value = next;
    next = null;
    travelling += 1;
    let open = true;
    const done = (heard) => {
      if (!open) return;
      open = false;
      clearTimeout(patience);
      travelling -= 1;
      go();
      if (heard && !travelling) rested?.();
    };
    const patience = setTimeout(() => done(false), 2000); // a connection that broke swallows the kernel's "idle"
    post(value, { iopub: { status: (message) => message.content.execution_state === "idle" && done(true) } });
  };
  return {
    put(value) {
      next = value;
      go();
    },
    busy: () => travelling > 0,
  };
}

// A slider over whole numbers. While a move is on its way the hand is right: an answer to the one before does not take the
// handle back, or quick presses would be lost. ``moved``: what else to do when the handle has another place.
function dial(name, range, send, moved) {
  const slider = make("input");
  Object.assign(slider, { type: "range", step: 1, ...range });
  slider.setAttribute("aria-label", name);
  let answer = null;
  const rest = () => {
    if (answer !== null) slider.value = answer;
    moved?.();
  };
  const { put, busy } = outbox(send, rest);
  const turn = () => {
    put(Number(slider.value));
    moved?.();
  };
  slider.addEventListener("input", turn);
  return {
    slider,
    step(by) {
      slider.value = Number(slider.value) + by;
      turn();
    },
    write(value) {
      answer = value;
      if (!busy()) rest();
    },
  };
}

// A field to type a number into. Enter, or leaving it, takes what was typed; Escape brings back what is in force. ``write``
// shows a number, but not over one that is being typed.
function numberField(className, label, inputMode, { take, back }) {
  const field = make("input", className);
  Object.assign(field, { type: "text", inputMode, autocomplete: "off" });
  field.setAttribute("aria-label", label);
  let typing = false;
  const end = () => {
    if (typing) take(field.value);
    typing = false;
  };
  field.addEventListener("input", () => (typing = true));
  field.addEventListener("focus", () => field.select());
  field.addEventListener("change", end);
  field.addEventListener("keydown", (event) => {
    if (event.isComposing) return; // Enter that only ends an input method's composition
    if (event.key === "Enter") end();
    if (event.key === "Escape") {
      typing = false;
      back();
    }
  });
  const write = (text) => {
    if (!typing || document.activeElement !== field) fill(field, text);
  };
  return { field, write };
}

// -1 … 0 … 1 → orange … white … blue: told apart by the colour-blind, dark text readable on all of it.
function colour(shade) {
  const s = Math.max(-1, Math.min(1, shade));
  const [r, g, b] = s < 0 ? [245, 150, 70] : [90, 165, 235];
  const a = Math.abs(s);
  const mix = (c) => Math.round(255 + (c - 255) * a);
  return `rgb(${mix(r)}, ${mix(g)}, ${mix(b)})`;
}

// Arrow keys walk through a table of buttons, of which one is in the tab order.
function walk(event, buttons) {
  const moves = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  const move = moves[event.key];
  if (!move) return;
  const i = buttons.findIndex((row) => row.includes(event.target));
  if (i < 0) return;
  const j = buttons[i].indexOf(event.target);
  const next = buttons[i + move[0]]?.[j + move[1]];
  event.preventDefault();
  event.stopPropagation();
  if (!next) return;
  event.target.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
}

// The line under a widget: what went wrong in a handler, or, for good, that the kernel is gone.
function errorLine(model, signal) {
  const line = make("div", "al-error");
  line.setAttribute("role", "alert");
  let lost = false;
  const write = () => {
    line.textContent = model.get(lost ? "gone" : "message");
    line.hidden = !line.textContent;
  };
  const kernel = model.widget_manager?.kernel;
  const over = ["dead", "terminating", "restarting", "autorestarting"];
  const look = () => {
    if (signal?.aborted || lost || !(kernel.isDisposed || over.includes(kernel.status))) return;
    lost = true;
    write();
  };
  kernel?.statusChanged?.connect(look);
  kernel?.disposed?.connect(look);
  signal?.addEventListener("abort", () => {
    kernel?.statusChanged?.disconnect(look);
    kernel?.disposed?.disconnect(look);
  });
  model.on("change:message", write);
  write();
  return line;
}

// anywidget gives a module two seconds to load. After that it drops every message from the kernel for good: on a slow
// laptop the panel would be there and never move. Where that happened, listen again and ask for the present state.
async function keepHearing(model) {
  let own = null;
  const find = (itself) => (own = itself);
  model.on("change:_own", find);
  model.set("_own", true);
  model.off("change:_own", find);
  try {
    await own._handle_comm_msg({ content: { data: { method: "none" } } });
  } catch {
    const hear = Object.getPrototypeOf(Object.getPrototypeOf(own))._handle_comm_msg;
    own.comm.on_msg((message) => hear.call(own, message));
    own.comm.send({ method: "request_state" }, {});
  }
}

// A plain key belongs to the control that has the focus. JupyterLab and Notebook look for their shortcuts first, and leave
// out an element with this mark, if it is the focused one itself. Ctrl+S and the like are left to them.
function keepKeys(el, signal) {
  const mark = (event) => {
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
    if (el.contains(event.target)) event.target.toggleAttribute("data-lm-suppress-shortcuts", plain);
  };
  window.addEventListener("keydown", mark, { capture: true, signal });
}

// The button that saves a picture. All else is sent by the kernel when it is first pressed: see saving.js.
function saveButton({ model, el }) {
  const button = make("button", "al-save-open"), bar = make("div", "al-save");
  button.type = "button";
  button.title = model.get("saving");
  button.setAttribute("aria-label", button.title);
  button.setAttribute("aria-expanded", "false");
  bar.append(button);
  // A promise of the kernel's answer. What goes wrong there it tells under the panel; here it is a rejection with null.
  const ask = (picture) => new Promise((resolve, reject) => {
    const hear = (message, files) => {
      if (message.answers !== picture) return;
      model.off("msg:custom", hear);
      if (message.failed) reject(null);
      else resolve({ ...message, files });
    };
    model.on("msg:custom", hear);
    model.send({ picture });
  });
  const report = (error) => model.send({ picture: "report", error: String(error) });
  let opened;
  const open = async () => {
    const { code, stem, words } = await ask("code");
    const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
    const { choices } = await import(url);
    URL.revokeObjectURL(url);
    choices(bar, button, { ask, report, stem, words });
  };
  button.addEventListener("click", () => {
    opened ??= open().catch((error) => {
      opened = null;
      if (error) report(error);
    });
  });
  bar.ask = ask; // for a picture of all panels
  el.append(bar);
}

// The style sheets of this kind of panel, once in the page however many panels there are.
function dress() {
  for (const [name, text] of Object.entries(SHEETS)) {
    const id = `al-style-${name}`;
    let style = document.getElementById(id);
    if (style?.textContent === text) continue;
    if (!style) {
      style = document.createElement("style");
      style.id = id;
      document.head.append(style);
    }
    style.textContent = text;
  }
}

function widget(render, initialize) {
  return {
    initialize(context) {
      dress();
      showProjected();
      initialize?.(context);
    },
    render(context) {
      keepHearing(context.model);
      keepKeys(context.el, context.signal);
      const done = render(context);
      if (context.model.get("saving")) saveButton(context);
      return done;
    },
  };
}
