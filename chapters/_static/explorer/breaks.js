// @ts-check
// Leave parts of the model out: the switches of the page "See it think", and what they change.
"use strict";

const explorerBreaks = (() => {
  const { layers: LAYERS, heads: HEADS } = explorerAbout.config;
  /** @type {Record<string, string>} */
  const names = {
    scale: "no scale: scores not divided by √32",
    positions: "no positions: the embeddings don’t say where a token is",
    order: "shuffled words",
    ahead: "look back only, as a decoder does",
    head: "without the chosen head",
  };

  /**
   * The switches, in a place, and what they change. The rest is the page's: its state, `choose` to
   * change it, and how readings are compared and spoken of.
   * @param {HTMLElement} place
   * @param {{
   *   state: { broken: string[], shown: number, layer: number, head: number },
   *   choose: (name: string, broken: boolean) => void,
   *   cosine: (a: Float32Array, b: Float32Array) => number,
   *   cosines: (readings: (ExplorerReading | null)[], words: (number | null)[], i: number) => number[] | null,
   *   states: (trace: ExplorerTrace, token: number) => Float32Array[],
   *   most: (reading: ExplorerReading, map: ArrayLike<number>, token: number) => [string, number],
   *   missing: (text: string) => Element,
   *   quiet: (text: string) => Element,
   * }} page
   * @returns {ExplorerPanel<ExplorerNow>}
   */
  function panel(place, { state, choose, cosine, cosines, states, most, missing, quiet }) {
    const switches = Object.entries(names).map(([name, words]) => {
      const input = element("input", { type: "checkbox", name }),
        text = element("span", {}, words);
      input.addEventListener("change", () => choose(name, input.checked));
      return {
        name,
        input,
        text,
        label: element("label", { className: "tick" }, input, " ", text),
      };
    });
    const effect = element("div");
    place.replaceChildren(
      element(
        "fieldset",
        { className: "explorer-breaks" },
        element("legend", {}, "Break it"),
        ...switches.map(({ label }) => label),
      ),
      effect,
    );

    /**
     * The layer and the head whose map is most another in the other reading.
     * @param {ExplorerReading} one
     * @param {ExplorerReading} other
     */
    function mostChanged(one, other) {
      let most = -1,
        found = [0, 0];
      for (let layer = 0; layer < LAYERS; layer++) {
        for (let head = 0; head < HEADS; head++) {
          const [a, b] = [one.map(layer, head), other.map(layer, head)];
          let change = 0;
          for (let i = 0; i < a.length; i++) change += Math.abs(a[i] - b[i]);
          if (change > most) [most, found] = [change, [layer, head]];
        }
      }
      return found;
    }

    /** @param {ExplorerNow} now */
    const draw = ({ readings, intact, inOrder, words, at }) => {
      for (const { name, input, text } of switches) {
        input.checked = state.broken.includes(name);
        if (name === "head")
          text.textContent = `without head ${state.head} of layer ${state.layer}`;
      }
      const now = readings[state.shown],
        before = intact[state.shown],
        token = at[state.shown],
        was = words[state.shown];
      if (!state.broken.length) {
        effect.replaceChildren(
          quiet(
            "Nothing is broken. Choose one of these, and all that this page shows is computed with it.",
          ),
        );
        return;
      }
      if (!now?.trace || !before?.trace || token === null || was === null) {
        effect.replaceChildren(missing("Type a sentence above."));
        return;
      }
      const { trace, order } = now;
      const last = (/** @type {ExplorerTrace} */ trace, /** @type {number} */ token) =>
        states(trace, token)[LAYERS];
      // The cosines of the tokens' last vectors with those of another reading, in its order.
      const compare = (/** @type {ExplorerTrace} */ other) =>
        order.map((from, i) => cosine(last(trace, i), last(other, from)));
      const mean = (/** @type {number[]} */ all) => total(all) / all.length;
      const alike = compare(before.trace),
        worst = alike.indexOf(Math.min(...alike));
      const rows = [1, 2].flatMap((i) => {
        const [was, is] = [cosines(intact, words, i), cosines(readings, at, i)];
        return was && is
          ? [[`1st–${["2nd", "3rd"][i - 1]}`, digits(was[LAYERS]), digits(is[LAYERS])]]
          : [];
      });
      const [table, body] = numbers("Cosines of the word after the last layer", [
        "sentences",
        "intact",
        "broken",
      ]);
      fill(body, rows);
      const sentence =
        `Each token’s last vector has a cosine of ${digits(mean(alike))} on average with its vector in the intact model; ` +
        `the lowest is that of ${isolated(now.tokens[worst])}, ${digits(alike[worst])}.`;
      const straight = inOrder?.[state.shown]?.trace;
      const ordered =
        straight &&
        `Compared with a model that is just as broken but reads the words in order, the cosine is ${digits(mean(compare(straight)))} on average.`;
      // Weights can be compared one by one where the words stand in the same order.
      const [layer, head] = state.broken.includes("order")
        ? [state.layer, state.head]
        : mostChanged(before, now);
      const about = state.broken.includes("order") ? "The chosen map" : "The map that changes most";
      const maps = [
        { name: "intact", reading: before, token: was },
        { name: "broken", reading: now, token },
      ].map(({ name, reading, token }) => {
        const map = reading.map(layer, head),
          canvas = element("canvas", {
            role: "img",
            "aria-label": `Map of layer ${layer}, head ${head}, ${name}`,
          });
        explorerDrawing.pixels(canvas, map, reading.tokens.length);
        const [other, weight] = most(reading, map, token);
        return element(
          "figure",
          {},
          canvas,
          element(
            "figcaption",
            {},
            `${name}: ${isolated(reading.tokens[token])} looks most at ${isolated(other)} (${digits(weight)})`,
          ),
        );
      });
      effect.replaceChildren(
        table,
        element("p", {}, sentence),
        ...(ordered ? [element("p", {}, ordered)] : []),
        element(
          "p",
          {},
          `${about}, layer ${layer}, head ${head}, ${["first", "second"][state.shown]} sentence:`,
        ),
        element("div", { className: "explorer-both" }, ...maps),
      );
    };
    return {
      shows: ({ readings, intact, inOrder, words, at, able }) => [
        ...[...readings, ...intact, ...(inOrder ?? []), ...words, ...at, able],
        ...[`${state.broken}`, state.shown, state.layer, state.head],
      ],
      draw,
    };
  }

  return { names, panel };
})();
