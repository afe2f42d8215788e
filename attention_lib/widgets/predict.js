// A question to commit to. The truth is not here before the guess is sent: it comes back as "outcome".

let count = 0; // names for groups of radio buttons: each view needs its own

// Pieces of text, each [piece, whether it is code].
function written(tag, className, pieces) {
  const el = make(tag, className);
  pieces.forEach(([text, code]) => el.append(code ? make("code", "", text) : text));
  return el;
}

function choice(frame) {
  const box = make("div", "al-options");
  const name = `al-predict-${(count += 1)}`;
  const radios = frame.options.map(([letter, pieces], i) => {
    const label = make("label", "al-option");
    const radio = make("input");
    radio.type = "radio";
    radio.name = name;
    radio.value = String(i);
    label.append(radio, make("b", "al-letter", `${letter}.`), written("span", "al-text", pieces), make("span", "al-tag"));
    box.append(label);
    return radio;
  });
  return {
    box,
    guess: () => {
      const at = radios.findIndex((radio) => radio.checked);
      return at < 0 ? null : at;
    },
    show: (outcome) => radios.forEach((radio, i) => {
      const label = radio.parentElement;
      const done = outcome.verdict !== undefined;
      if (done) radio.checked = outcome.chosen === i;
      label.classList.toggle("al-true", done && outcome.true === i);
      label.classList.toggle("al-chosen", done && outcome.chosen === i);
      const tags = [];
      if (done && outcome.true === i) tags.push(`✓ ${frame.words.truth}`);
      if (done && outcome.chosen === i) tags.push(frame.words.yours);
      label.querySelector(".al-tag").textContent = tags.join(" · ");
    }),
    clear: () => radios.forEach((radio) => (radio.checked = false)),
  };
}

function number(frame, commit) {
  const box = make("div", "al-number-box");
  const field = make("input", "al-input");
  field.type = "text";
  field.inputMode = "decimal";
  field.autocomplete = "off";
  field.size = 10;
  field.setAttribute("aria-label", [frame.words.number, frame.unit].filter(Boolean).join(" "));
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.isComposing) commit();
  });
  box.append(field, make("span", "al-unit", frame.unit));
  return { box, guess: () => field.value, show: () => {}, clear: () => (field.value = "") };
}

function weights(frame, model) {
  const table = make("table", "al-shares");
  const head = table.createTHead().insertRow();
  const columns = ["", "", frame.words.yours, frame.words.truth, frame.words.difference].map((text, i) => {
    const th = make("th", i > 2 ? "al-after" : "", text);
    th.scope = "col";
    head.append(th);
    return th;
  });
  columns[0].setAttribute("aria-hidden", "true");
  columns[1].setAttribute("aria-hidden", "true");
  const body = table.createTBody();
  const rows = frame.labels.map((text, i) => {
    const tr = body.insertRow();
    const th = make("th", "", text);
    th.scope = "row";
    const slider = make("input", "al-share-slider");
    slider.type = "range";
    slider.min = "0";
    slider.max = String(frame.highest);
    slider.step = "1";
    slider.setAttribute("aria-label", frame.sliderNames[i]);
    slider.addEventListener("input", () => {
      const levels = [...model.get("levels")];
      levels[i] = Number(slider.value);
      model.set("levels", levels);
      model.save_changes();
    });
    const bars = make("div", "al-bars");
    const [guessed, real] = [make("div", "al-mine"), make("div", "al-real")];
    bars.append(guessed, real);
    tr.append(th);
    tr.insertCell().append(slider, bars);
    const [share, truth, off] = ["al-share", "al-after al-truth", "al-after"].map((name) => {
      const td = tr.insertCell();
      td.className = name;
      return td;
    });
    return { slider, guessed, real, share, truth, off };
  });
  const foot = table.createTFoot().insertRow();
  const sum = make("th", "", frame.words.sum);
  sum.scope = "row";
  const [total, totalTrue] = [make("td", "al-share", "1.00"), make("td", "al-after")];
  foot.append(sum, make("td"), total, totalTrue, make("td", "al-after"));

  const share = () => rows.forEach((row, i) => {
    const level = model.get("levels")[i];
    if (document.activeElement !== row.slider || Number(row.slider.value) !== level) row.slider.value = String(level);
    row.share.textContent = model.get("shares")[i] ?? "";
    row.slider.setAttribute("aria-valuetext", row.share.textContent);
  });
  model.on("change:levels", share);
  model.on("change:shares", share);
  share();
  return {
    box: table,
    guess: () => null, // the kernel has the levels already
    show: (outcome) => {
      const done = Boolean(outcome.rows);
      table.classList.toggle("al-done", done);
      totalTrue.textContent = done ? "1" : "";
      rows.forEach((row, i) => {
        const [, truth, off] = done ? outcome.rows[i] : ["", "", ""];
        row.truth.textContent = truth;
        row.off.textContent = off;
        const [a, b] = done ? outcome.bars[i] : [0, 0];
        row.guessed.style.width = `${100 * a}%`;
        row.real.style.width = `${100 * b}%`;
      });
    },
    clear: () => {},
  };
}

function render({ model, el, signal }) {
  const frame = model.get("frame");
  const { words } = frame;
  el.classList.add("al-tool", "al-predict-box");
  const root = make("div", "al-predict");
  root.dataset.prediction = frame.key;
  const group = make("fieldset", "al-group");
  const legend = make("legend", "al-question");
  legend.append(make("b", "al-lead", words.title), written("span", "", frame.question));
  group.append(legend);

  let sent = false; // whether the guess under way was sent from here
  const commit = () => {
    sent = true;
    model.send({ guess: asked.guess() });
  };
  const asked = frame.kind === "choice" ? choice(frame)
    : frame.kind === "number" ? number(frame, commit) : weights(frame, model);
  const button = make("button", "al-button al-commit", words.commit);
  button.type = "button";
  button.addEventListener("click", commit);
  group.append(asked.box, button);

  const result = make("div", "al-result");
  result.setAttribute("role", "status");
  root.append(group, errorLine(model, signal), result);
  el.append(root);

  const show = () => {
    const outcome = model.get("outcome");
    const done = outcome.verdict !== undefined;
    group.disabled = done;
    button.hidden = done;
    asked.show(outcome);
    result.replaceChildren();
    root.classList.toggle("al-held", done && outcome.right);
    root.classList.toggle("al-missed", done && !outcome.right);
    if (!done) return;
    const verdict = make("p", "al-verdict", outcome.verdict);
    if (outcome.how) verdict.append(make("span", "al-how", ` · ${outcome.how}`));
    result.append(verdict);
    if (frame.kind !== "choice") {
      const pairs = make("dl", "al-pair");
      [[words.yours, outcome.guess], [words.truth, outcome.truth]].forEach(([name, value]) =>
        pairs.append(make("dt", "", name), make("dd", "", value)));
      if (frame.kind === "number") result.append(pairs);
    }
    result.append(written("p", "al-because", outcome.because));
    if (outcome.first) result.append(make("p", "al-first-guess", outcome.first));
    const again = make("button", "al-button al-again", words.again);
    again.type = "button";
    again.addEventListener("click", () => {
      asked.clear();
      model.send({ again: true });
    });
    result.append(again);
    if (sent) again.focus({ preventScroll: true });
    sent = false;
  };
  show();
  model.on("change:outcome", show);
}

export default widget(render);
