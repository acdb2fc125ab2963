// @ts-check
// Chapter 5: rotary positions. Two pairs of numbers turn with the position, each at its own speed.
"use strict";

playgrounds.rotary = ({ form, picture, numbers: below, say }) => {
  const PAIRS = [
    { angle: 1, query: [1.0, 0.6], key: [0.8, -0.4] },
    { angle: 0.1, query: [0.5, 1.0], key: [1.0, 0.7] },
  ];
  const FARTHEST = 60;
  const turned = (/** @type {number[]} */ [x, y], /** @type {number} */ angle) => [
    x * Math.cos(angle) - y * Math.sin(angle),
    x * Math.sin(angle) + y * Math.cos(angle),
  ];
  const scores = (/** @type {number} */ distance) =>
    PAIRS.map(({ angle, query, key }) => dot(turned(query, distance * angle), key));
  const signed = (/** @type {number} */ number) => digits(number).replace(/^(?!−)/, "+"); // all as wide
  const short = (/** @type {number[]} */ pair) => `(${pair.map(signed).join(", ")})`;
  const whole = { min: 0, max: FARTHEST, step: 1, show: String };
  const both = element("button", { type: "button" }, "move both by 10");
  form.append(
    slider("m", "query’s position", { ...whole, value: 5 }),
    slider("n", "key’s position", { ...whole, value: 2 }),
    both,
  );
  const planes = PAIRS.map(({ angle }, i) =>
    plane(`Pair ${i + 1}: ${digits(angle, 1)} radian per position`, 1.6),
  );
  const curves = chart("The score at each distance", {
    x: [-FARTHEST, FARTHEST],
    y: [-2.6, 2.6],
    xLabel: "query’s position − key’s position",
    xTicks: [-60, -30, 0, 30, 60].map((value) => [value, String(value).replace("-", "−")]),
    yTicks: [-2, 0, 2].map((value) => [value, String(value).replace("-", "−")]),
    names: ["pair 1"],
  });
  picture.append(...planes.map(({ frame }) => frame), curves.frame);
  const [table, body] = numbers("Two pairs of numbers, each turned at its own speed", [
    "pair",
    "query turned",
    "key turned",
    "dot product",
  ]);
  below.append(table);
  both.addEventListener("click", () => {
    const places = ["m", "n"].map((name) => form.elements[name].valueAsNumber);
    const step = Math.max(...places) + 10 > FARTHEST ? -10 : 10;
    const [m, n] = places.map((place) => place + (Math.min(...places) + step < 0 ? 0 : step));
    set(form, "m", m);
    set(form, "n", n);
    form.dispatchEvent(new Event("input"));
  });
  const distances = Array.from({ length: 4 * FARTHEST + 1 }, (_, i) => i / 2 - FARTHEST);
  const points = (/** @type {(pairs: number[]) => number} */ value) =>
    distances.map((distance) => [distance, value(scores(distance))]);
  const lines = [
    curve(
      "pair 1",
      "plain",
      points(([first]) => first),
      true,
    ),
    curve(
      "pair 2",
      "value",
      points(([, second]) => second),
      true,
    ),
    curve(
      "sum",
      "output",
      points(([first, second]) => first + second),
    ),
  ];
  // From the arrow of the key to that of the query, the shorter way round.
  /** @type {(q: number[], k: number[]) => DrawnShapes} */
  const arc = (q, k) => (at, pixel) => {
    const [from, to] = [k, q].map(([x, y]) => Math.atan2(y, x));
    const angle = Math.atan2(Math.sin(to - from), Math.cos(to - from));
    const points = Array.from({ length: 25 }, (_, i) =>
      at(turned([0.45, 0], from + (angle * i) / 24)),
    );
    return [
      svg("circle", { cx: 100, cy: 100, r: 100 / 1.6, class: "axis" }),
      svg("polyline", {
        points: points.join(" "),
        class: "line output",
        "stroke-width": 2 * pixel,
      }),
    ];
  };
  return () => {
    const m = form.elements.m.valueAsNumber,
      n = form.elements.n.valueAsNumber;
    const shares = scores(m - n),
      score = shares[0] + shares[1];
    fill(
      body,
      PAIRS.map(({ angle, query, key }, i) => {
        const q = turned(query, m * angle),
          k = turned(key, n * angle);
        planes[i].show(
          [
            { to: q, role: "query", name: "query", width: 2.5 },
            { to: k, role: "key", name: "key", width: 2.5 },
          ],
          arc(q, k),
        );
        return [`${i + 1}`, short(q), short(k), signed(dot(q, k))];
      }),
    );
    curves.show(lines, [{ at: [m - n, score], role: "output" }], [{ at: m - n, role: "plain" }]);
    say(
      `Score: ${digits(score)}. Distance: ${String(m - n).replace("-", "−")}. ` +
        "Move both by the same amount: the arrows turn, the score stays.",
    );
  };
};
