// Training, live: buttons and sliders, progress, two charts, the weights of one group and the three matrices.

const SVG = "http://www.w3.org/2000/svg";

function drawn(name, className) {
  const el = document.createElementNS(SVG, name);
  if (className) el.setAttribute("class", className);
  return el;
}

// A chart of lines in a field of 1 × 1 that is stretched to the room there is; words stand around it as HTML.
function buildChart(names, words, label) {
  const root = make("figure", "al-chart");
  const caption = make("figcaption", "al-key");
  const field = make("div", "al-plot");
  const svg = drawn("svg");
  svg.setAttribute("viewBox", "0 0 1 1");
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", label);
  const numbers = {}, lines = {};
  names.forEach((name) => {
    const key = make("span", `al-key-of al-line-${name}`);
    numbers[name] = make("b", "al-now");
    key.append(make("span", "al-stroke"), words[name], " ", numbers[name]);
    caption.append(key);
  });
  const level = (className) => {
    const line = drawn("line", className), text = make("span", "al-level");
    line.setAttribute("x1", 0);
    line.setAttribute("x2", 1);
    svg.append(line);
    field.append(text);
    return (y, words) => {
      line.setAttribute("y1", 1 - y);
      line.setAttribute("y2", 1 - y);
      text.style.bottom = `${100 * y}%`;
      text.textContent = words;
    };
  };
  const levels = [level("al-dashed"), level("al-dashed")];
  [...names].reverse().forEach((name) => svg.append((lines[name] = drawn("polyline", `al-line-${name}`))));
  field.append(svg);
  root.append(caption, field);
  return {
    root,
    levels,
    update(name, points, text) {
      lines[name].setAttribute("points", points.map(([x, y]) => `${x},${1 - y}`).join(" "));
      numbers[name].textContent = text;
    },
  };
}

function buildTable(matrix, mark) {
  const root = make("figure", "al-small-matrix");
  root.dataset.matrix = matrix.name;
  const caption = make("figcaption");
  caption.append(make("b", "", matrix.name), ` ${matrix.title} `, make("span", "al-shape", matrix.shape));
  const table = make("table");
  table.setAttribute("aria-label", `${matrix.name} ${matrix.title} ${matrix.shape}`);
  const head = table.insertRow();
  head.append(make("td"));
  matrix.columns.forEach((label) => {
    const th = make("th", "", label);
    th.scope = "col";
    head.append(th);
  });
  const cells = matrix.rows.map((label) => {
    const tr = table.insertRow();
    const th = make("th", "", label);
    th.scope = "row";
    tr.append(th);
    return matrix.columns.map(() => tr.insertCell());
  });
  matrix.marks.forEach(([i, j]) => cells[i][j].classList.add("al-sought"));
  const scale = make("div", "al-ends");
  const low = make("span"), high = make("span"), bar = make("span", "al-ramp");
  scale.append(low, bar, high);
  if (matrix.marks.length) scale.append(make("span", "al-sought al-sample"), mark);
  const wide = make("div", "al-wide");
  wide.append(table);
  root.append(caption, wide, scale);
  return {
    root,
    update({ text, shade, limits }) {
      cells.forEach((row, i) => row.forEach((cell, j) => {
        const hidden = matrix.hidden?.[i][j];
        cell.classList.toggle("al-unseen", Boolean(hidden));
        cell.textContent = hidden ? "" : text[i][j];
        cell.style.backgroundColor = hidden ? "" : colour(shade[i][j]);
      }));
      [low.textContent, high.textContent] = limits;
      bar.classList.toggle("al-onesided", limits[0] === "0");
    },
  };
}

function buildSlider(label, last, send) {
  const root = make("label", "al-dial");
  const value = make("span", "al-value");
  const { slider, write } = dial(label, { min: 0, max: last }, send);
  root.append(make("span", "", label), slider, value);
  return {
    root,
    update(position, text) {
      write(position);
      slider.setAttribute("aria-valuetext", text);
      value.textContent = text;
    },
  };
}

function render({ model, el, signal }) {
  const frame = model.get("frame"), words = frame.words;
  el.classList.add("al-tool");
  const root = make("section", "al-training");
  root.setAttribute("aria-label", frame.title);

  const button = (press) => {
    const made = make("button", "al-button", words[press]);
    made.type = "button";
    made.addEventListener("click", () => model.send({ press: made.dataset.press }));
    made.dataset.press = press;
    return made;
  };
  const [go, step, restart] = ["start", "step", "restart"].map(button);
  go.classList.add("al-go");
  const progress = make("progress", "al-progress");
  progress.max = 1;
  progress.setAttribute("aria-label", words.progress);
  const steps = make("span", "al-steps"), speed = make("span", "al-speed");
  const top = make("div", "al-actions");
  top.append(go, step, restart, progress, steps, speed);

  const rate = buildSlider(words.rate, frame.rates.length - 1, (position, callbacks) => model.send({ rate: position }, callbacks));
  const seed = buildSlider(words.seed, frame.seeds - 1, (position, callbacks) => model.send({ seed: position }, callbacks));
  const dials = make("div", "al-dials");
  dials.append(rate.root, seed.root);
  const told = make("div", "al-told");
  told.setAttribute("role", "status");

  const loss = buildChart(["loss"], words, words.loss);
  const shares = buildChart(["accuracy", "weight"], words, `${words.accuracy}, ${words.weight}`);
  shares.levels[0](frame.chance, frame.chanceText);
  shares.levels[1](frame.enough, frame.enoughText);
  const ends = make("div", "al-x");
  const last = make("span");
  ends.append(make("span", "", "0"), make("span", "", words.steps), last);
  const charts = make("div", "al-charts");
  charts.append(loss.root, shares.root, ends);

  const tables = frame.matrices.map((matrix) => ({ name: matrix.name, ...buildTable(matrix, frame.marked) }));
  const pictures = make("div", "al-pictures"), matrices = make("div", "al-matrices");
  pictures.append(charts, tables[0].root);
  matrices.append(...tables.slice(1).map((table) => table.root));
  root.append(make("div", "al-legend", frame.title), top, dials, told, pictures, matrices);
  el.append(root, errorLine(model, signal));

  const update = () => {
    const now = model.get("shown");
    go.dataset.press = now.running ? "pause" : "start";
    if (go.textContent !== words[now.go]) go.textContent = words[now.go];
    go.disabled = step.disabled = now.over;
    progress.value = Math.min(now.done, 1);
    steps.textContent = now.progress;
    speed.textContent = now.speed;
    rate.update(now.rate, now.rateText);
    seed.update(now.seed, now.seedText);
    if (told.textContent !== now.told) told.textContent = now.told;
    told.classList.toggle("al-diverged", now.wrong);
    loss.levels[0](now.first[1], now.first[0]);
    loss.levels[1](0, "0");
    loss.update("loss", now.curves.loss, now.numbers[0]);
    shares.update("accuracy", now.curves.accuracy, now.numbers[1]);
    shares.update("weight", now.curves.weight, now.numbers[2]);
    last.textContent = now.last;
    tables.forEach((table) => table.update(now.cells[table.name]));
  };
  update();
  model.on("change:shown", update);
}

export default widget(render);
