// A notebook that was run, saved and opened again has no live widgets, and JupyterLab puts "Error displaying widget:
// model not found" in their place. The saved output holds the same numbers as HTML: show those instead.
// Plain script, no build step: JupyterLab only asks for a container with `init` and `get`.
(() => {
  const ERROR = "Error displaying widget: model not found";

  function savedHtml(app, node) {
    for (const panel of app.shell.widgets("main")) {
      for (const cell of panel.content?.widgets ?? []) {
        const area = cell.outputArea;
        if (!area?.node.contains(node)) continue;
        const at = area.widgets.findIndex((widget) => widget.node.contains(node));
        return at < 0 ? undefined : area.model.get(at)?.data["text/html"];
      }
    }
    return undefined;
  }

  function mend(app, node) {
    if (node.textContent !== ERROR) return;
    const html = savedHtml(app, node);
    if (typeof html !== "string") return;
    node.classList.remove("jupyter-widgets");
    node.classList.add("jp-RenderedHTMLCommon");
    node.innerHTML = html; // what this notebook stored, and JupyterLab trusts; innerHTML runs no script
  }

  // The slides of jupyterlab-rise are a page without consoles, and ipywidgets asks each page for their module, though it
  // needs none: there no slider would be drawn. An empty one will do.
  function lendConsole(shared) {
    shared["@jupyterlab/console"] ??= {
      "4.6.0": { get: async () => () => ({ IConsoleTracker: { name: "no console" } }), from: "attention-lesson", loaded: 1 },
    };
  }

  const plugin = {
    id: "attention-lesson:saved-numbers",
    description: "Shows the saved numbers of a widget whose kernel is gone.",
    autoStart: true,
    activate(app) {
      new MutationObserver((changes) => {
        for (const { target } of changes) {
          const node = target.nodeType === Node.TEXT_NODE ? target.parentElement : target;
          if (node?.classList?.contains("jp-OutputArea-output")) mend(app, node);
        }
      }).observe(document.body, { childList: true, characterData: true, subtree: true });
    },
  };

  window._JUPYTERLAB = window._JUPYTERLAB || {};
  window._JUPYTERLAB["attention-lesson"] = {
    init: lendConsole,
    get: () => Promise.resolve(() => ({ __esModule: true, default: plugin })),
  };
})();
