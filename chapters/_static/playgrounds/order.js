// @ts-check
// Chapter 11: the writer's layers in a different order, or without some of them.
"use strict";

playgrounds.order = ({ form, picture, numbers: below, say, data }) => {
  const { losses, guessing } = data,
    LAYERS = ["0", "1", "2", "3"];
  const orders = Object.keys(losses)
    .filter((order) => order.length === LAYERS.length)
    .sort();
  form.append(
    choice(
      "order",
      "order of the layers",
      orders.map((order) => [order, [...order].join(", ")]),
      "0123",
    ),
    element(
      "fieldset",
      {},
      element("legend", {}, "leave out"),
      ...LAYERS.map((layer) => checkbox(`without${layer}`, layer, false)),
    ),
  );
  const curves = chart("The loss after each layer that has run", {
    x: [1, LAYERS.length],
    y: [1, 6],
    names: ["as trained"],
    height: 180,
    xLabel: "layers that have run",
    xTicks: LAYERS.map((_, i) => [i + 1, `${i + 1}`]),
    yTicks: [1, 2, 3, 4, 5, 6].map((loss) => [loss, `${loss}`]),
  });
  picture.append(curves.frame);
  const [table, body] = numbers("Losses in nats for each character", ["after", "1", "2", "3", "4"]);
  below.append(table);
  const path = (/** @type {string} */ order) =>
    [...order].map((_, i) => losses[order.slice(0, i + 1)]);
  const points = (/** @type {number[]} */ values) => values.map((loss, i) => [i + 1, loss]);

  return () => {
    const order = [...form.elements.order.value]
      .filter((layer) => !form.elements[`without${layer}`].checked)
      .join("");
    const trained = path("0123"),
      found = path(order),
      last = losses[order];
    curves.show(
      [
        {
          name: "guessing",
          role: "plain",
          points: [
            [1, guessing],
            [LAYERS.length, guessing],
          ],
        },
        { name: "as trained", role: "value", dashed: true, points: points(trained) },
        ...(found.length ? [{ role: "query", points: points(found) }] : []),
      ],
      found.map((loss, i) => ({ at: [i + 1, loss], role: "query" })),
    );
    const row = (/** @type {string} */ name, /** @type {number[]} */ values) => [
      name,
      ...LAYERS.map((_, i) => (i < values.length ? digits(values[i]) : "–")),
    ];
    fill(body, [row("this order", found), row("as trained", trained)]);
    say(
      `${order ? `Layers ${[...order].join(", ")}` : "No layer at all"}: loss ${digits(last)}, against ${digits(trained[trained.length - 1])} as trained ` +
        `and ${digits(guessing)} for guessing.`,
    );
  };
};
