// @ts-check
// Chapter 3: how many neurons does a feed-forward layer need?
"use strict";

playgrounds.neurons = ({ form, picture, numbers: below, say, data }) => {
  const { counts } = data,
    NEURONS = counts[counts.length - 1];
  const written = (/** @type {number} */ count) => count.toLocaleString("en");
  form.append(
    ...tokenAndLayer(data),
    slider("kept", "neurons that write", {
      min: 0,
      max: counts.length - 1,
      step: 1,
      value: counts.indexOf(128),
      show: (i) => written(counts[i]),
    }),
  );
  const curves = chart("What is missing of the update", {
    x: [0, counts.length - 1],
    y: [0, 1.25],
    names: ["strongest", "at random"],
    height: 180,
    xLabel: "neurons that write",
    xTicks: [0, 1, 16, 128, 512, NEURONS].map((count) => [counts.indexOf(count), written(count)]),
    yTicks: [0, 0.5, 1].map((share) => [share, `${100 * share} %`]),
  });
  picture.append(curves.frame);
  const [table, body] = numbers("The layer and this token", [
    "token",
    "active above 0.5",
    "strongest neuron",
    "needed for 90 %",
  ]);
  below.append(table);
  return () => {
    const word = Number(form.elements.word.value),
      layer = data.layers[form.elements.layer.valueAsNumber];
    const kept = form.elements.kept.valueAsNumber;
    const [strongest, random] = [layer.strongest[word], layer.random[word]];
    curves.show(
      [
        curve("at random", "plain", [...random.entries()], true),
        curve("strongest", "query", [...strongest.entries()]),
      ],
      [
        { at: [kept, strongest[kept]], role: "query" },
        { at: [kept, random[kept]], role: "plain" },
      ],
      [{ at: kept, role: "plain" }],
    );
    const percent = (/** @type {number} */ share) => `${digits(100 * share, 1)} %`;
    const enough =
      counts[strongest.findIndex((_, i) => strongest.slice(i).every((share) => share <= 0.1))];
    say(
      `Layer ${form.elements.layer.value}: with its ${written(counts[kept])} strongest neuron${counts[kept] === 1 ? "" : "s"}, ${percent(strongest[kept])} of the update of “${data.tokens[word]}” is missing; ` +
        `with as many at random, ${percent(random[kept])}.`,
    );
    fill(body, [
      [
        data.tokens[word],
        `${layer.active[word]}`,
        `${layer.first[word]}`,
        `${written(enough)} neurons`,
      ],
    ]);
  };
};
