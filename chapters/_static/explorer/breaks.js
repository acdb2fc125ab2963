// Leave parts of the model out: the switches of the page "See it think", and what they change.
"use strict";

const explorerBreaks = (() => {
  const { layers: LAYERS, heads: HEADS } = explorerAbout.config;
  const names = {
    scale: "no scale: scores not divided by √32",
    positions: "no positions: the embeddings don’t say where a token is",
    order: "shuffled words",
    ahead: "look back only, as a decoder does",
    head: "without the chosen head",
  };

  // Fill a place with the switches. The rest is the page's: its state, `choose` to change it, and how
  // readings are compared and spoken of. Returns what shows their effect.
  function panel(place, { state, choose, cosine, cosines, states, most, missing, quiet }) {
    const switches = Object.entries(names).map(([name, words]) => {
      const label = checkbox(name, words, false);
      label.firstChild.addEventListener("change", ({ target }) => choose(name, target.checked));
      return label;
    });
    const effect = element("div");
    place.replaceChildren(
      element(
        "fieldset",
        { className: "explorer-breaks" },
        element("legend", {}, "Break it"),
        ...switches,
      ),
      effect,
    );

    function mostChanged(one, other) {
      const changes = Array.from({ length: LAYERS * HEADS }, (_, i) => {
        const layer = Math.floor(i / HEADS),
          head = i % HEADS;
        const map = other.map(layer, head);
        return [
          one.map(layer, head).reduce((sum, weight, j) => sum + Math.abs(weight - map[j]), 0),
          layer,
          head,
        ];
      });
      return changes.reduce((most, change) => (change[0] > most[0] ? change : most)).slice(1);
    }

    return ({ readings, intact, inOrder, words, at }) => {
      switches.forEach((label) => {
        label.firstChild.checked = state.broken.includes(label.firstChild.name);
      });
      switches.at(-1).lastChild.textContent = ` without head ${state.head} of layer ${state.layer}`;
      const now = readings[state.shown],
        before = intact[state.shown];
      if (!state.broken.length) {
        effect.replaceChildren(
          quiet(
            "Nothing is broken. Choose one of these, and all that this page shows is computed with it.",
          ),
        );
        return;
      }
      if (!now?.trace || !before?.trace) {
        effect.replaceChildren(missing("Type a sentence above."));
        return;
      }
      const last = (reading, token) => states(reading, token).at(-1);
      const compare = (other) => {
        const alike = now.order.map((from, i) => cosine(last(now, i), last(other, from)));
        return [alike.reduce((a, b) => a + b) / alike.length, alike];
      };
      const [mean, alike] = compare(before),
        worst = alike.indexOf(Math.min(...alike));
      const rows = [1, 2].flatMap((i) => {
        const [was, is] = [cosines(intact, words, i), cosines(readings, at, i)];
        return was && is
          ? [[`1st–${["2nd", "3rd"][i - 1]}`, digits(was.at(-1)), digits(is.at(-1))]]
          : [];
      });
      const [table, body] = numbers("Cosines of the word after the last layer", [
        "sentences",
        "intact",
        "broken",
      ]);
      fill(body, rows);
      const sentence =
        `Each token’s last vector has a cosine of ${digits(mean, 3)} on average with its vector in the intact model; ` +
        `the lowest is that of ${now.tokens[worst]}, ${digits(alike[worst], 3)}.`;
      const order =
        inOrder?.[state.shown] &&
        `Compared with a model that is just as broken but reads the words in order, the cosine is ${digits(compare(inOrder[state.shown])[0], 3)} on average.`;
      // Weights can be compared one by one where the words stand in the same order.
      const [layer, head] = state.broken.includes("order")
        ? [state.layer, state.head]
        : mostChanged(before, now);
      const about = state.broken.includes("order") ? "The chosen map" : "The map that changes most";
      const maps = [
        ["intact", before, words],
        ["broken", now, at],
      ].map(([name, reading, indices]) => {
        const map = reading.map(layer, head),
          token = indices[state.shown],
          canvas = element("canvas");
        explorerDrawing.thumbnail(canvas, map, reading.tokens.length);
        const [other, weight] = most(reading, map, token);
        canvas.setAttribute("role", "img");
        canvas.setAttribute("aria-label", `Map of layer ${layer}, head ${head}, ${name}`);
        return element(
          "figure",
          {},
          canvas,
          element(
            "figcaption",
            {},
            `${name}: ${reading.tokens[token]} looks most at ${other} (${digits(weight)})`,
          ),
        );
      });
      effect.replaceChildren(
        table,
        element("p", {}, sentence),
        ...(order ? [element("p", {}, order)] : []),
        element(
          "p",
          {},
          `${about}, layer ${layer}, head ${head}, ${["first", "second"][state.shown]} sentence:`,
        ),
        element("div", { className: "explorer-both" }, ...maps),
      );
    };
  }

  return { names, panel };
})();
