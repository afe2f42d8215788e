// How the predictions went: a table that grows with each first guess.

function render({ model, el, signal }) {
  const frame = model.get("frame");
  el.classList.add("al-tool", "al-predict-box");
  const table = make("table", "al-summary");
  const total = make("p", "al-total");
  total.setAttribute("role", "status");
  el.append(table, total, errorLine(model, signal));

  const show = () => {
    const lines = model.get("lines");
    table.replaceChildren();
    table.hidden = lines.length === 0;
    table.append(make("caption", "", frame.title));
    const head = table.createTHead().insertRow();
    ["", ...frame.columns].forEach((text) => {
      const th = make("th", "", text);
      th.scope = "col";
      head.append(th);
    });
    const body = table.createTBody();
    lines.forEach(([key, ...cells]) => {
      const right = cells.pop();
      const tr = body.insertRow();
      tr.className = right ? "al-held" : "al-missed";
      const th = make("th", "", key);
      th.scope = "row";
      tr.append(th);
      cells.forEach((pieces) => {
        const td = tr.insertCell();
        pieces.forEach(([text, code]) => td.append(code ? make("code", "", text) : text));
      });
    });
    total.textContent = model.get("total");
  };
  show();
  model.on("change:lines", show);
  model.on("change:total", show);
}

export default widget(render);
