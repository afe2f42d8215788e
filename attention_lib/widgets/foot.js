// What stands under a figure: what went wrong, and the button that saves.

export default widget(({ model, el, signal }) => {
  el.classList.add("al-foot");
  el.append(errorLine(model, signal));
});
