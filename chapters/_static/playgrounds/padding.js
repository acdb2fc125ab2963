// @ts-check
// Chapter 6: what leaks when padding is not masked.
"use strict";

playgrounds.padding = ({ form, picture, numbers: below, say, data }) => {
  const { tokens, runs } = data,
    LAYERS = runs[0].maps.length,
    MOST = runs.length - 1;
  form.append(
    slider("pads", "padding tokens", { min: 0, max: MOST, step: 1, value: 4, show: String }),
    checkbox("masked", "attention mask", false),
    choice(
      "word",
      "token that looks",
      tokens.map((token, i) => [i, token]),
      tokens.indexOf("flies"),
    ),
    slider("layer", "layer", { min: 0, max: LAYERS - 1, step: 1, value: 0, show: String }),
  );
  const columns = element("div", { className: "columns", ariaHidden: "true" });
  const curves = chart("Cosine with the vector of the sentence alone", {
    x: [0, LAYERS],
    y: [0.8, 1],
    height: 150,
    names: ["with mask"],
    xLabel: "after so many layers",
    xTicks: Array.from({ length: LAYERS + 1 }, (_, i) => [i, `${i}`]),
    yTicks: [0.8, 0.9, 1].map((value) => [value, digits(value, 1)]),
  });
  picture.append(
    element(
      "div",
      { className: "drawing" },
      element("p", { className: "title" }, "Where its attention goes"),
      columns,
    ),
    curves.frame,
  );
  const [table, body] = numbers("The vectors after the last layer", [
    "token",
    "attention on padding",
    "cosine",
  ]);
  below.append(table);
  return () => {
    const { pads, masked, layer } = form.elements,
      word = Number(form.elements.word.value);
    const run = runs[masked.checked ? 0 : pads.valueAsNumber],
      at = layer.valueAsNumber;
    const weights = [...run.maps[at][word], ...Array(pads.valueAsNumber).fill(0)].slice(
      0,
      tokens.length + pads.valueAsNumber,
    );
    const leak = (/** @type {number} */ token, of = at) =>
      total(run.maps[of][token].slice(tokens.length));
    columns.replaceChildren(
      ...Array.from({ length: tokens.length + MOST }, (_, i) => {
        const column = element(
          "span",
          { className: i < tokens.length ? "value" : i < weights.length ? "pad" : "pad none" },
          element("i"),
          element("b", {}, tokens[i] ?? "[PAD]"),
        );
        column.style.setProperty("--share", (weights[i] ?? 0).toFixed(3));
        return column;
      }),
    );
    const line = (/** @type {number} */ token) => run.cosines.map((state, i) => [i, state[token]]);
    curves.show(
      [
        {
          name: "with mask",
          role: "plain",
          dashed: true,
          points: line(word).map(([i]) => [i, 1]),
        },
        ...(masked.checked ? [] : [{ name: tokens[word], role: "query", points: line(word) }]),
      ],
      [],
      [{ at, role: "plain" }],
    );
    fill(
      body,
      tokens.map((token, i) => [token, bar(leak(i)), digits(run.cosines[LAYERS][i], 3)]),
    );
    say(
      `${masked.checked ? "With" : "Without"} the mask, “${tokens[word]}” gives ${Math.round(100 * leak(word))} % of its attention in layer ${at} to ` +
        `${pads.value} padding token${pads.value === "1" ? "" : "s"}, on average over 12 heads; after the last layer its cosine with the right vector is ${digits(run.cosines[LAYERS][word], 3)}.`,
    );
  };
};
