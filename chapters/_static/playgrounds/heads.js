// @ts-check
// Chapter 2: what the heads of a real layer write, and what is lost without some of them.
"use strict";

playgrounds.heads = ({ form, picture, numbers: below, say, data }) => {
  const HEADS = data.layers[0].looks[0].length,
    BIAS = HEADS,
    SILENT = 4; // at first: the one that is missed most
  const heads = Array.from({ length: HEADS }, (_, head) => head);
  form.append(
    ...tokenAndLayer(data),
    element(
      "fieldset",
      { className: "many" },
      element("legend", {}, "heads that write"),
      ...heads.map((head) => checkbox(`head${head}`, `${head}`, head !== SILENT)),
    ),
  );
  const sum = plane("The output, and what is left of it", 1.5, 0.15);
  picture.append(sum.frame);
  const [table, body] = numbers("Each head by itself", [
    "head",
    "looks mostly at",
    "length of what it writes",
    "along the output",
    "cosine of the rest",
  ]);
  below.append(table);

  return () => {
    const word = Number(form.elements.word.value),
      layer = data.layers[form.elements.layer.valueAsNumber];
    // Dot products of the parts, of which the upper triangle was written down row by row.
    const start = (/** @type {number} */ row) => (row * (2 * (HEADS + 1) - row - 1)) / 2;
    const product = (/** @type {number} */ a, /** @type {number} */ b) =>
      layer.products[word][start(Math.min(a, b)) + Math.max(a, b)];
    const all = [...heads, BIAS];
    const between = (/** @type {number[]} */ some, /** @type {number[]} */ others) =>
      total(some.flatMap((a) => others.map((b) => product(a, b))));
    const whole = Math.sqrt(between(all, all));
    const seen = (/** @type {number[]} */ parts) => {
      const along = between(parts, all) / whole,
        length = Math.sqrt(Math.max(between(parts, parts), 0));
      return {
        along: along / whole,
        across: Math.sqrt(Math.max(length ** 2 - along ** 2, 0)) / whole,
        length,
        cosine: length ? along / length : 0,
      };
    };
    const kept = heads.filter((head) => form.elements[`head${head}`].checked),
      left = seen([...kept, BIAS]);
    const lengths = heads.map((head) => Math.sqrt(product(head, head)));
    const longest = Math.max(...lengths);
    const complete = kept.length === HEADS;
    sum.show([
      { to: [1, 0], role: "output", name: "output", width: 3 },
      ...(complete
        ? []
        : [
            { to: [left.along, left.across], role: "value", name: "what is left", width: 3 },
            {
              from: [left.along, left.across],
              to: [1, 0],
              role: "plain",
              width: 1.5,
              dashed: true,
            },
          ]),
    ]);
    fill(
      body,
      heads.map((head) => {
        const weight = layer.weights[word][head];
        return [
          `${head}`,
          `${data.tokens[layer.looks[word][head]]} ${digits(weight)}`,
          bar(lengths[head] / longest, digits(lengths[head])),
          `${Math.round((100 * between([head], all)) / whole ** 2)} %`.replace("-", "−"),
          digits(seen(all.filter((part) => part !== head)).cosine, 3),
        ];
      }),
    );
    say(
      complete
        ? `All twelve write. Laid end to end, their vectors are ${digits(total(lengths))} long; their sum, with the bias, is ${digits(whole)}.`
        : `With ${kept.length} of 12 heads the vector has length ${digits(left.length)} instead of ${digits(whole)}, and its cosine with the output is ${digits(left.cosine, 3)}.`,
    );
  };
};
