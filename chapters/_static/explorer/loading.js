// How a page gets its model: on a click and not before, with a bar that fills and a word on what went
// wrong. `about` lists the scripts of the weights, `make` returns a model that is not loaded yet.
"use strict";

function explorerLoading(about, make) {
  const megabytes = (Object.values(about.scripts).reduce((a, b) => a + b) / 1e6).toFixed(1);
  const status = element("p", { className: "explorer-status" });
  status.setAttribute("role", "status");
  const progress = element("progress", {
    max: 1,
    value: 0,
    hidden: true,
    ariaLabel: "Loading the model",
  });
  let loading = null;

  function say(text, share = null) {
    if (status.textContent !== text) status.textContent = text; // or it would be read out again
    progress.hidden = share === null;
    progress.value = share ?? 0;
  }

  // The model, from the first call on always the same.
  function load() {
    loading ??= (async () => {
      const model = make();
      await model.load(about, (share) =>
        say(`Loading the model: ${Math.round(100 * share)} % of ${megabytes} MB.`, share),
      );
      return model;
    })();
    loading.catch(() => {
      loading = null;
    });
    return loading;
  }

  function button(pressed) {
    const made = element(
      "button",
      { type: "button", className: "load" },
      `Load the model (${megabytes} MB)`,
    );
    made.addEventListener("click", pressed);
    return made;
  }

  function fail(error) {
    say(
      `The model cannot run here: ${error.message}. It needs a browser of 2023 or later, and the whole folder of the book.`,
    );
  }

  return { status, progress, say, load, button, fail };
}
