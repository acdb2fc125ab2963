// @ts-check
// Chapter 4: the size of the residual stream, by depth, arrangement and first weights.
"use strict";

playgrounds.stream = ({ form, picture, numbers: below, say, data }) => {
  const { spreads } = data,
    DEPTH = data.fresh.none[0].changes.length;
  const LINES = [
    ["none", "no norm", "key"],
    ["pre-norm", "pre-norm", "query"],
    ["post-norm", "post-norm", "value"],
  ];
  form.append(
    slider("spread", "standard deviation of the weights", {
      min: 0,
      max: spreads.length - 1,
      step: 1,
      value: spreads.indexOf(0.04), // twice BERT's
      show: (i) => String(spreads[i]),
    }),
    slider("depth", "layers", { min: 1, max: DEPTH, step: 1, value: 6, show: String }),
    checkbox("trained", "add two trained models", false),
  );
  /** @type {(exponent: number) => [number, string]} */
  const power = (exponent) => [
    exponent,
    exponent < 0
      ? digits(10 ** exponent, 1)
      : exponent < 4
        ? (10 ** exponent).toLocaleString("en")
        : `10${[...`${exponent}`].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(digit)]).join("")}`,
  ];
  /** @type {[number, string][]} */
  const layers = [0, 6, 12, 18, 24].map((layer) => [layer, `${layer}`]);
  const sizes = chart("Size of the stream (RMS)", {
    x: [0, DEPTH],
    y: [-1.3, 5],
    xTicks: layers,
    yTicks: [-1, 0, 1, 2, 3, 4, 5].filter((e) => e % 2 || !e).map(power),
    names: ["post-norm"],
    height: 190,
    xLabel: "after so many layers",
  });
  const changes = chart("What each layer changes, as a share", {
    x: [0, DEPTH],
    y: [0, 2],
    xTicks: layers,
    yTicks: [0, 1, 2].map((share) => [share, `${100 * share} %`]),
    names: ["post-norm"],
    height: 190,
    xLabel: "layer",
  });
  picture.append(sizes.frame, changes.frame);
  const [table, body] = numbers("The size of the stream", [
    "arrangement",
    "at the start",
    "at the end",
    "changed by the last layer",
  ]);
  below.append(table);
  const shown = (/** @type {number} */ exponent) =>
    exponent < 4
      ? digits(10 ** exponent)
      : `${digits(10 ** (exponent % 1), 1)} · ${power(Math.floor(exponent))[1]}`;
  const row = (
    /** @type {string} */ name,
    /** @type {PlaygroundGrowth} */ { sizes: all, changes: shares },
    /** @type {number} */ depth,
  ) => [name, shown(all[0]), shown(all[depth]), `${Math.round(100 * shares[depth - 1])} %`];

  return () => {
    const depth = form.elements.depth.valueAsNumber,
      spread = form.elements.spread.valueAsNumber;
    const runs = LINES.map(([name, short, role]) => ({
      name,
      short,
      role,
      ...data.fresh[name][spread],
    }));
    const trained = form.elements.trained.checked
      ? [
          { short: "writer", role: "query", ...data.trained["pre-norm"] },
          { short: "MiniLM", role: "value", ...data.trained["post-norm"] },
        ]
      : [];
    const lines = (/** @type {keyof PlaygroundGrowth} */ of, /** @type {number} */ first) => [
      ...runs.map(({ short, role, ...run }) => ({
        name: short,
        role,
        points: run[of].map((value, i) => [i + first, value]),
      })),
      ...trained.map(({ short, role, ...run }) => ({
        name: short,
        role,
        dashed: true,
        points: run[of].map((value, i) => [i + first, value]),
      })),
    ];
    sizes.show(
      lines("sizes", 0),
      runs.map(({ role, sizes: all }) => ({ at: [depth, all[depth]], role })),
      [{ at: depth, role: "plain" }],
    );
    changes.show(
      lines("changes", 1),
      runs.map(({ role, changes: all }) => ({ at: [depth, all[depth - 1]], role })),
      [{ at: depth, role: "plain" }],
    );
    fill(body, [
      ...runs.map(({ short, ...run }) => row(short, run, depth)),
      row("writer, 4 layers", data.trained["pre-norm"], data.trained["pre-norm"].changes.length),
      row("MiniLM, 6 layers", data.trained["post-norm"], data.trained["post-norm"].changes.length),
    ]);
    say(
      `After ${depth} ${depth === 1 ? "layer" : "layers"} the size is ${runs.map(({ short, sizes: all }) => `${shown(all[depth])} with ${short}`).join(", ")}.`,
    );
  };
};
