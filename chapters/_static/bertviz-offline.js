// @ts-check
// Stands in for require.js, of which BertViz uses two calls: config() and requirejs([…], callback).
// The real one would define a global define(), which breaks the copy buttons' script.
// Calls wait until jQuery and D3, loaded from this book, are there. The neuron view hands its data
// over in one global variable; it is kept per call, so that a page may hold several views.
// BertViz has ten colours for heads, of which models have twelve or more: two are added.
(() => {
  /** @typedef {{ names: ("jquery" | "d3")[], callback: (...modules: unknown[]) => void }} Call */
  /** @type {(Call & { params: unknown })[]} */
  const waiting = [];
  let ready = false;
  const modules = { jquery: () => window.jQuery, d3: () => window.d3 };

  /** @param {Call & { params: unknown }} call */
  function run({ names, callback, params }) {
    window.bertviz_params = params;
    callback(...names.map((name) => modules[name]()));
  }

  /**
   * @param {Call["names"]} names
   * @param {Call["callback"]} callback
   */
  function requirejs(names, callback) {
    const call = { names, callback, params: window.bertviz_params };
    if (ready) run(call);
    else waiting.push(call);
  }
  requirejs.config = () => {};
  window.require = window.requirejs = requirejs;

  document.addEventListener("DOMContentLoaded", () => {
    window.d3.schemeCategory10 = [...window.d3.schemeCategory10, "#222222", "#b3cc00"];
    ready = true;
    waiting.splice(0).forEach(run);
  });
})();
