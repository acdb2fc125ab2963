// @ts-check
// Chapter 1: one query, four keys, and the average of the values. The query can be dragged.
"use strict";

playgrounds.attention = ({ form, picture, numbers: below, say }) => {
  const TOKENS = [
    { name: "time", key: [2.0, 0.5], value: [1.0, 0.0] },
    { name: "flies", key: [0.5, 2.0], value: [0.0, 1.0] },
    { name: "like", key: [-1.5, 0.5], value: [-1.0, 0.0] },
    { name: "arrow", key: [1.0, -1.5], value: [0.0, -1.0] },
  ];
  form.append(
    slider("q1", "query, first number", { min: -3, max: 3, step: 0.1, value: 1 }),
    slider("q2", "query, second number", { min: -3, max: 3, step: 0.1, value: 1 }),
    checkbox("scaled", "divide by √d_k = √2", true),
    element(
      "fieldset",
      {},
      element("legend", {}, "hide"),
      ...TOKENS.map(({ name }, i) => checkbox(`hidden${i}`, name, false)),
    ),
  );
  const asking = plane("The query meets the keys", 3.7),
    fetched = plane("The values and their average", 1.5);
  picture.append(asking.frame, fetched.frame);
  const [table, body] = numbers("One query and four keys", [
    "token",
    "key",
    "query · key",
    "scaled",
    "weight",
    "value",
  ]);
  below.append(table);
  asking.drag((point) => {
    for (const [i, name] of ["q1", "q2"].entries()) set(form, name, point[i].toFixed(1));
    form.dispatchEvent(new Event("input"));
  });
  const short = (/** @type {number[]} */ pair) =>
    `(${pair.map((number) => digits(number, 1)).join(", ")})`;
  return () => {
    const query = [form.elements.q1.valueAsNumber, form.elements.q2.valueAsNumber];
    const products = TOKENS.map(({ key }) => dot(query, key));
    const hidden = TOKENS.map((_, i) => form.elements[`hidden${i}`].checked);
    const scores = products.map((product, i) => {
      if (hidden[i]) return -Infinity;
      return form.elements.scaled.checked ? product / Math.SQRT2 : product;
    });
    const weights = softmax(scores);
    const output = [0, 1].map((i) =>
      dot(
        weights,
        TOKENS.map(({ value }) => value[i]),
      ),
    );
    const arrows = (/** @type {"key" | "value"} */ of, /** @type {string} */ role) =>
      TOKENS.map((token, i) => ({
        to: token[of],
        role: hidden[i] ? "plain" : role,
        name: `${token.name} ${digits(weights[i])}`,
        width: 1 + 6 * weights[i],
        dashed: hidden[i],
      }));
    asking.show([
      { to: query, role: "query", name: "query", width: 2.5, held: true },
      ...arrows("key", "key"),
    ]);
    fetched.show([
      { to: output, role: "output", name: "output", width: 3.5 },
      ...arrows("value", "value"),
    ]);
    fill(
      body,
      TOKENS.map(({ name, key, value }, i) => [
        name,
        short(key),
        digits(products[i]),
        hidden[i] ? "−∞" : digits(scores[i]),
        bar(weights[i]),
        short(value),
      ]),
    );
    const most = weights.indexOf(Math.max(...weights));
    say(
      `Output: ${vector(output)}, the average of the values with these weights. ` +
        (weights.some(Boolean)
          ? `Most weight: “${TOKENS[most].name}”, ${digits(weights[most])}.`
          : "Everything is hidden: the weights are zero."),
    );
  };
};
