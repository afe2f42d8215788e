// Live matrices: cells are buttons; arrow keys walk, Enter asks for the arithmetic, Escape closes it.

const GESTURE = 700; // ms: changes closer than this are one move, marked against the value before it

// Only where it differs: each write costs a layout of the page.
function write(el, text) {
  if (el.textContent !== text) el.textContent = text;
}

function buildMatrix(frame, words, onFocus) {
  const root = make("figure", "al-matrix");
  root.dataset.matrix = frame.name;
  const title = make("figcaption", "al-title");
  const name = make("span", "al-name", frame.title), formula = make("span", "al-formula", frame.formula);
  title.append(make("b", "", frame.name), " ", name);
  if (frame.formula) title.append(formula);
  title.append(make("span", "al-shape", frame.shape));
  if (frame.axes) title.append(make("span", "al-axes", frame.axes));

  const table = make("table", "al-table" + (frame.columns.length > 7 ? " al-many" : ""));
  table.setAttribute("aria-label", `${frame.name} ${frame.title} ${frame.shape}`);
  const head = table.insertRow();
  head.append(make("td"));
  const columnHeads = frame.columns.map((label) => {
    const th = make("th", "al-label", label);
    th.scope = "col";
    head.append(th);
    return th;
  });
  const sumHead = make("th", "al-label al-sum", "Σ");
  sumHead.scope = "col";

  const buttons = [], olds = [], sums = [], rowHeads = [];
  frame.rows.forEach((label, i) => {
    const tr = table.insertRow();
    const th = make("th", "al-label", label);
    th.scope = "row";
    rowHeads.push(th);
    tr.append(th);
    buttons.push([]);
    olds.push([]);
    frame.columns.forEach((_, j) => {
      const td = tr.insertCell();
      td.className = "al-td" + (j === 0 ? " al-first" : "") + (j === frame.columns.length - 1 ? " al-last" : "");
      const button = make("button", "al-cell");
      button.type = "button";
      button.tabIndex = i === 0 && j === 0 ? 0 : -1;
      button.addEventListener("click", () => onFocus(i, j));
      button.append(make("span", "al-number"));
      const old = make("s", "al-old");
      button.append(old);
      td.append(button);
      buttons[i].push(button);
      olds[i].push(old);
    });
    const sum = make("td", "al-sum");
    tr.append(sum);
    sums.push(sum);
  });
  table.addEventListener("keydown", (event) => walk(event, buttons));

  const scale = make("div", "al-scale");
  const low = make("span"), high = make("span"), bar = make("span", "al-bar");
  const legend = make("span", "al-legend-hidden");
  legend.append(make("span", "al-swatch al-hidden"), words.hidden);
  scale.append(low, bar, high, legend);
  root.append(title, table, scale);

  let shown = null, before = null, last = 0;
  return {
    root,
    relabel(now) {
      frame = now;
      name.textContent = now.title;
      formula.textContent = now.formula;
      now.rows.forEach((label, i) => (rowHeads[i].textContent = label));
      now.columns.forEach((label, j) => (columnHeads[j].textContent = label));
    },
    update(cells) {
      const now = Date.now();
      if (shown && now - last > GESTURE) before = shown.text;
      last = now;
      const fresh = !before;
      cells.text.forEach((row, i) => row.forEach((text, j) => {
        const button = buttons[i][j];
        const old = fresh || before[i][j] === text ? "" : before[i][j];
        const same = shown && shown.text[i][j] === text && shown.shade[i][j] === cells.shade[i][j];
        if (same && olds[i][j].textContent === old) return;
        write(button.firstChild, text);
        write(olds[i][j], old);
        button.classList.toggle("al-changed", old !== "");
        button.style.backgroundColor = colour(cells.shade[i][j]);
        const hidden = Boolean(cells.hidden?.[i][j]);
        button.classList.toggle("al-hidden", hidden);
        const said = [words.cell.replace("{name}", frame.name).replace("{row}", frame.rows[i])
          .replace("{column}", frame.columns[j]).replace("{value}", text)];
        if (hidden) said.push(words.hidden);
        if (old) said.push(words.old.replace("{value}", old));
        button.setAttribute("aria-label", said.join(", "));
      }));
      if (!shown) before = cells.text;
      shown = cells;
      table.classList.toggle("al-sums", Boolean(cells.sums));
      legend.hidden = !cells.hidden;
      if (cells.sums) {
        if (!sumHead.parentNode) head.append(sumHead);
        sums.forEach((td, i) => {
          write(td, cells.sums[i]);
          td.classList.toggle("al-wrong", cells.wrong[i]);
        });
      }
      write(low, cells.limits[0]);
      write(high, cells.limits[1]);
      bar.classList.toggle("al-onesided", cells.limits[0] === "0");
    },
    light(focus, lit) {
      buttons.forEach((row, i) => row.forEach((button, j) => {
        const mine = Boolean(focus) && focus[0] === frame.name && focus[1] === i && focus[2] === j;
        const on = lit.some(([name, r, c]) => name === frame.name && (r === null || r === i) && (c === null || c === j));
        button.classList.toggle("al-focus", mine);
        button.setAttribute("aria-pressed", String(mine));
        button.classList.toggle("al-lit", on);
      }));
    },
    back() {
      const button = buttons.flat().find((b) => b.tabIndex === 0);
      if (button) button.focus();
    },
  };
}

function render({ model, el, signal }) {
  el.classList.add("al-panel");
  const words = model.get("words");
  const row = make("div", "al-row");
  const ask = (focus) => model.send({ focus });
  const matrices = model.get("frames").map((frame) => {
    const view = buildMatrix(frame, words, (i, j) => {
      const now = model.get("focus");
      const again = now && now[0] === frame.name && now[1] === i && now[2] === j;
      ask(again ? null : [frame.name, i, j]);
    });
    row.append(view.root);
    return { name: frame.name, ...view };
  });

  const told = make("div", "al-arithmetic");
  told.setAttribute("role", "status");
  const lines = make("div", "al-lines");
  const close = make("button", "al-close", "×");
  close.type = "button";
  close.setAttribute("aria-label", words.close);
  const shut = () => {
    const focus = model.get("focus");
    ask(null);
    matrices.find((m) => focus && m.name === focus[0])?.back();
  };
  close.addEventListener("click", shut);
  told.append(lines, close);
  el.append(row, told, errorLine(model, signal));
  el.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && model.get("focus")) shut();
  });

  const cells = () => matrices.forEach((m) => m.update(model.get("cells")[m.name]));
  const light = () => matrices.forEach((m) => m.light(model.get("focus"), model.get("lit")));
  const tell = () => {
    const text = model.get("arithmetic");
    told.hidden = text.length === 0;
    lines.replaceChildren(...text.map((line) => make("div", "", line)));
  };
  cells(); light(); tell();
  model.on("change:frames", () => {
    model.get("frames").forEach((frame, i) => matrices[i].relabel(frame));
    cells();
  });
  model.on("change:cells", cells);
  model.on("change:focus", light);
  model.on("change:lit", light);
  model.on("change:arithmetic", tell);
}

export default widget(render);
