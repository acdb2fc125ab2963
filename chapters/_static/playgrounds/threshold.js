// @ts-check
// Chapter 7: precision, recall and F1 of one class, by the probability at which we begin to say yes.
"use strict";

playgrounds.threshold = ({ form, picture, numbers: below, say, data }) => {
  const { names, labels, scores } = data,
    BINS = 20;
  form.append(
    choice(
      "library",
      "library",
      names.map((name, i) => [i, name]),
      names.indexOf("torch"),
    ),
    slider("threshold", "threshold", { min: 0, max: 1, step: 0.01, value: 0.5 }),
  );
  const bars = element("div", { className: "histogram", ariaHidden: "true" });
  const title = element("p", { className: "title" });
  const steps = Array.from({ length: 101 }, (_, i) => i / 100);
  const curves = chart("Precision, recall and F1", {
    x: [0, 1],
    y: [0, 1],
    names: ["precision"],
    height: 170,
    xLabel: "threshold",
    xTicks: [0, 0.5, 1].map((value) => [value, digits(value, 1)]),
    yTicks: [0, 0.5, 1].map((value) => [value, digits(value, 1)]),
  });
  picture.append(element("div", { className: "drawing" }, title, bars), curves.frame);
  const [table, body] = numbers("Confusion matrix", ["the text", "said yes", "said no"]);
  below.append(table);

  /**
   * @param {number} library
   * @param {number} threshold
   */
  function judged(library, threshold) {
    const count = { hits: 0, misses: 0, alarms: 0, rest: 0 };
    scores.forEach((row, i) => {
      const is = labels[i] === library,
        said = row[library] >= threshold;
      count[is ? (said ? "hits" : "misses") : said ? "alarms" : "rest"] += 1;
    });
    const { hits, misses, alarms } = count;
    return {
      ...count,
      precision: hits / (hits + alarms || 1),
      recall: hits / (hits + misses || 1),
      f1: (2 * hits) / (2 * hits + misses + alarms || 1),
    };
  }

  return () => {
    const library = Number(form.elements.library.value),
      threshold = form.elements.threshold.valueAsNumber;
    const all = steps.map((step) => judged(library, step)),
      found = judged(library, threshold);
    const bins = Array.from({ length: BINS }, () => [0, 0]);
    scores.forEach(
      (row, i) =>
        (bins[Math.min(BINS - 1, Math.floor(row[library] * BINS))][labels[i] === library ? 0 : 1] +=
          1),
    );
    // One bar is several times as high as all others: it is cut, and says how high it is.
    const [highest, next] = bins.flat().sort((a, b) => b - a);
    const top = highest > 2 * next ? next : highest;
    title.textContent = `Probability of ${names[library]}: how many texts from it (above) and of all others (below)`;
    bars.replaceChildren(
      ...bins.map((counts, i) =>
        element(
          "span",
          { className: i >= threshold * BINS ? "yes" : "" },
          ...counts.map((count) => {
            const high = element("i", { className: count > top ? "cut" : "" });
            high.style.setProperty("--high", Math.min(1, count / top).toFixed(3));
            if (count > top) high.append(element("b", {}, `${count}`));
            return high;
          }),
        ),
      ),
    );
    const points = (/** @type {"precision" | "recall" | "f1"} */ key) =>
      all
        .map((each, i) => [steps[i], each[key]])
        .filter((_, i) => key !== "precision" || all[i].hits + all[i].alarms);
    curves.show(
      [
        curve("precision", "query", points("precision")),
        curve("recall", "key", points("recall")),
        curve("F1", "output", points("f1"), true),
      ],
      /** @type {const} */ (["precision", "recall", "f1"]).map((key, i) => ({
        at: [threshold, found[key]],
        role: ["query", "key", "output"][i],
      })),
      [{ at: threshold, role: "plain" }],
    );
    fill(body, [
      [`is ${names[library]}`, `${found.hits}`, `${found.misses}`],
      ["is something else", `${found.alarms}`, `${found.rest}`],
    ]);
    const best = all.reduce((top, each, i) => (each.f1 > all[top].f1 ? i : top), 0);
    say(
      `With threshold ${digits(threshold)}: precision ${found.hits + found.alarms ? digits(found.precision) : "0 by convention, as it never says yes"}, recall ${digits(found.recall)}, F1 ${digits(found.f1)}. ` +
        `The best F1, ${digits(all[best].f1)}, is at ${digits(steps[best])}.`,
    );
  };
};
