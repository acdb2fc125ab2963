// @ts-check
// How a page gets its model: on a click and not before, with a bar that fills and a word on what went
// wrong. `about` lists the scripts of the weights, `make` returns a model that is not loaded yet.
"use strict";

class LoadingError extends Error {}
const REACHED = "button, input, select, summary, [tabindex='0']"; // with the keyboard
const isShown = (/** @type {Element} */ place) => place.getClientRects().length > 0;

/**
 * @template {{ load: (about: any, progress: (share: number) => void) => Promise<void> }} Model
 * @param {{ scripts: Record<string, number> }} about
 * @param {() => Model} make
 */
function explorerLoading(about, make) {
  const megabytes = (total(Object.values(about.scripts)) / 1e6).toFixed(1);
  const status = element("p", { className: "explorer-status", role: "status" });
  const progress = element("progress", {
    max: 1,
    value: 0,
    hidden: true,
    "aria-label": "Loading the model",
  });
  /** @type {Promise<Model> | null} */
  let loading = null;

  /**
   * @param {string} text
   * @param {number | null} share of what is loaded
   */
  function say(text, share = null) {
    if (status.textContent !== text) status.textContent = text; // or it would be read out again
    progress.hidden = share === null;
    progress.value = share ?? 0;
  }

  // The model, from the first call on always the same.
  function load() {
    loading ??= (async () => {
      const model = make();
      let failed = false;
      try {
        await model.load(about, (share) => {
          if (failed) return; // what arrives after that does not count
          say(`Loading the model: ${Math.round(100 * share)} % of ${megabytes} MB.`, share);
        });
      } catch (error) {
        failed = true;
        loading = null;
        throw new LoadingError(/** @type {Error} */ (error).message);
      }
      return model;
    })();
    return loading;
  }

  /**
   * A button that loads the model and goes when it is there. Whoever pressed it finds the keyboard's
   * focus on what has come into its place.
   * @param {() => Promise<void>} pressed
   * @param {() => HTMLElement | null} [next] what has, if it stands somewhere else
   */
  function button(pressed, next) {
    const made = element(
      "button",
      { type: "button", className: "load" },
      `Load the model (${megabytes} MB)`,
    );
    made.addEventListener("click", async () => {
      const place = made.closest("[data-explorer]"),
        had = document.activeElement === made;
      let around = made.parentElement?.parentElement;
      await pressed();
      if (!had || isShown(made) || document.activeElement !== document.body) return;
      let found = next?.();
      while (!found && around && place?.contains(around)) {
        const all = /** @type {NodeListOf<HTMLElement>} */ (around.querySelectorAll(REACHED));
        found = [...all].find((each) => isShown(each) && each.tabIndex === 0);
        around = around.parentElement;
      }
      found?.focus({ preventScroll: true });
    });
    return made;
  }

  /**
   * Say what went wrong: what the browser or the folder lacks, or that it is our own fault.
   * @param {unknown} error
   */
  function fail(error) {
    if (error instanceof LoadingError) {
      say(
        `The model cannot run here: ${error.message}. It needs a browser of 2023 or later, and the whole folder of the book.`,
      );
      return;
    }
    console.error(error);
    say(
      "Something went wrong in this page. Load it again; if that does not help, open it without what stands behind the # in its address.",
    );
  }

  return { status, progress, say, load, button, fail };
}
