// @ts-check
// What the two pages that run a model share beside the model: places to fill, a state that the address
// keeps, panels that are drawn again when what they show has changed, and what the keyboard needs.
"use strict";

/**
 * The places of the page that panels fill, by name.
 * @returns {Record<string, HTMLElement>}
 */
function explorerPlaces() {
  const places = /** @type {NodeListOf<HTMLElement>} */ (
    document.querySelectorAll("[data-explorer]")
  );
  return Object.fromEntries(Array.from(places, (place) => [place.dataset.explorer, place]));
}

// ---- The state, and the address that keeps it: #layer=0;head=4;a=time+flies --------------------------

/**
 * @template {Record<string, any>} State
 * @param {State} start the state with which the page opens
 * @param {(found: URLSearchParams) => Partial<State>} read what an address says, where it makes sense
 */
function explorerState(start, read) {
  const state = structuredClone(start);

  // Take the state from the address. It may have none: then it names a section, and nothing changes,
  // or nothing at all, and that is the address of the beginning.
  function take() {
    const found = new URLSearchParams(location.hash.slice(1).replaceAll(";", "&"));
    const ours = [...found.keys()].some((key) => Object.hasOwn(start, key));
    if (ours || location.hash.length < 2)
      Object.assign(state, structuredClone(start), ours && read(found));
    return ours ? "state" : location.hash.length < 2 ? "beginning" : "";
  }

  function keep() {
    const changed = Object.keys(start).filter((key) => `${state[key]}` !== `${start[key]}`);
    const address = new URLSearchParams(changed.map((key) => [key, `${state[key]}`]))
      .toString()
      .replaceAll("&", ";");
    if (`#${address}` !== location.hash && (address || location.hash.includes("="))) {
      const whole = address ? `#${address}` : location.pathname + location.search;
      history.replaceState(SEEN, "", whole);
    }
  }

  // An entry of the history in which the reader has been: who comes back to it by the browser's Back
  // is scrolled by the browser.
  const SEEN = "seen";

  /**
   * Follow the address, now and whenever it changes.
   * @param {() => void} update shows the state
   * @param {(named: (key: string) => boolean) => void} arrive scrolls to what the address is about
   */
  function follow(update, arrive) {
    const come = () => {
      if (history.state !== SEEN) arrive((key) => location.hash.includes(`${key}=`));
      history.replaceState(SEEN, "");
    };
    window.addEventListener("hashchange", () => {
      const found = take();
      if (!found) return;
      update();
      come();
    });
    if (take() === "state")
      window.addEventListener("load", () => setTimeout(come)); // after the browser's own scrolling
    else history.replaceState(SEEN, "");
    update();
  }

  return { state, keep, follow };
}

// ---- Panels ------------------------------------------------------------------------------------------

/**
 * A part of the page that shows something of `Now`: what `shows` lists, and nothing else.
 * @template Now
 * @typedef {{ shows: (now: Now) => unknown[], draw: (now: Now) => void }} ExplorerPanel
 */

/**
 * Returns what draws panels, each only if something that it shows is another than it was.
 * @template Now
 * @param {ExplorerPanel<Now>[]} panels
 * @returns {(now: Now) => void}
 */
function explorerPanels(panels) {
  /** @type {unknown[][]} */
  const drawn = panels.map(() => []);
  return (now) =>
    panels.forEach(({ shows, draw }, i) => {
      const wanted = [document.documentElement.dataset.theme, ...shows(now)]; // maps are painted
      if (
        wanted.length === drawn[i].length &&
        wanted.every((value, j) => Object.is(value, drawn[i][j]))
      )
        return;
      drawn[i] = []; // if drawing fails, it is drawn again
      draw(now);
      drawn[i] = wanted;
    });
}

/**
 * Call back when the page becomes light or dark.
 * @param {() => void} update
 */
function explorerScheme(update) {
  const { documentElement } = document;
  new MutationObserver(update).observe(documentElement, { attributeFilter: ["data-theme"] });
}

// ---- Keyboard ----------------------------------------------------------------------------------------

/**
 * A button that keeps the keyboard's focus when it is switched off.
 * @param {string} words
 * @param {() => void} act
 */
function explorerButton(words, act) {
  const made = element("button", { type: "button" }, words);
  made.addEventListener("click", () => {
    if (made.getAttribute("aria-disabled") !== "true") act();
  });
  return made;
}

/**
 * @param {HTMLElement} button
 * @param {boolean} off
 */
function switchOff(button, off) {
  button.setAttribute("aria-disabled", `${off}`);
}

/** @type {Record<string, [number, number]>} */
const explorerArrows = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

/**
 * Let the arrow keys move through rows and columns: `move` is told how far down and how far right.
 * @param {HTMLElement} place
 * @param {(down: number, right: number, target: HTMLElement) => void} move
 */
function onArrows(place, move) {
  place.addEventListener("keydown", (event) => {
    const step = explorerArrows[event.key];
    if (!step) return;
    event.preventDefault();
    move(...step, /** @type {HTMLElement} */ (event.target));
  });
}

/**
 * A row for each layer, with a button for each head. One is chosen; it alone can be reached with the
 * Tab key, the others from it with the arrow keys.
 * @param {{ layers: number, heads: number }} config
 * @param {{ layer: number, head: number }} state
 * @param {(layer: number, head: number) => void} choose
 * @param {string} look a class
 */
function explorerHeads({ layers, heads }, state, choose, look) {
  const grid = element("div", { className: `explorer-grid ${look}` });
  grid.style.setProperty("--heads", `${heads}`);
  const rows = Array.from({ length: layers }, (_, layer) => {
    const row = Array.from({ length: heads }, (_, head) => {
      const button = element("button", { type: "button" }, element("canvas"));
      button.addEventListener("click", () => choose(layer, head));
      return button;
    });
    grid.append(
      element(
        "div",
        { role: "group", "aria-label": `Layer ${layer}` },
        element("span", { "aria-hidden": "true" }, `${layer}`),
        ...row,
      ),
    );
    return row;
  });
  onArrows(grid, (down, right) => {
    const layer = (state.layer + down + layers) % layers,
      head = (state.head + right + heads) % heads;
    choose(layer, head);
    rows[layer][head].focus();
  });

  const mark = () =>
    rows.forEach((row, layer) =>
      row.forEach((button, head) => {
        const chosen = layer === state.layer && head === state.head;
        button.setAttribute("aria-pressed", `${chosen}`);
        button.tabIndex = chosen ? 0 : -1;
      }),
    );

  /**
   * @param {(canvas: HTMLCanvasElement, layer: number, head: number) => string} paint paints what a
   *   head does, and says it
   */
  const draw = (paint) =>
    rows.forEach((row, layer) =>
      row.forEach((button, head) => {
        const canvas = /** @type {HTMLCanvasElement} */ (button.firstChild);
        button.title = `Layer ${layer}, head ${head}: ${paint(canvas, layer, head)}`;
        button.setAttribute("aria-label", button.title);
      }),
    );

  return { grid, mark, draw };
}

// ---- Words -------------------------------------------------------------------------------------------

/**
 * A token inside a sentence. Hebrew or Arabic would turn round what stands beside it, so it is kept
 * apart, by two characters that nobody sees.
 * @param {string} token
 */
const isolated = (token) =>
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/.test(token) ? `\u2066${token}\u2069` : token;
