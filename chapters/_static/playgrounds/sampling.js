// @ts-check
// Chapter 8: choosing the next character, from the logits of the writer.
"use strict";

playgrounds.sampling = ({ form, picture, say, data }) => {
  const SHOWN = 9,
    ALL = data.characters.length;
  const named = (/** @type {string} */ character) =>
    /** @type {Record<string, string>} */ ({ " ": "space", "\n": "new line" })[character] ??
    `“${character}”`;
  const draw = element("button", { type: "button" }, "draw 100 characters");
  form.append(
    choice(
      "text",
      "the text so far",
      data.texts.map(({ text }, i) => [i, `“${text.replace("\n", " ↵ ")}”`]),
      0,
    ),
    slider("temperature", "temperature", {
      min: 0.1,
      max: 3,
      step: 0.1,
      value: 1,
      show: (x) => digits(x, 1),
    }),
    slider("k", "top-k", { min: 1, max: ALL, step: 1, value: ALL, show: String }),
    slider("p", "top-p", { min: 0.05, max: 1, step: 0.05, value: 1 }),
    draw,
  );
  const [table, body] = numbers("What comes next?", ["character", "logit", "probability", "drawn"]);
  picture.append(table);

  /**
   * As `generate` does: temperature, then top-k, then the fewest characters that reach top-p.
   * @param {number[]} logits
   * @param {number} temperature
   * @param {number} k
   * @param {number} p
   */
  function probabilities(logits, temperature, k, p) {
    const scaled = logits.map((logit) => logit / temperature); // the largest first
    const first = softmax(scaled.slice(0, k));
    let before = 0;
    const kept = first.filter((share, rank) => {
      const keep = rank === 0 || before < p;
      before += share;
      return keep;
    }).length;
    return softmax(scaled.map((logit, rank) => (rank < kept ? logit : -Infinity)));
  }

  /** @type {number[]} */
  let order = [];
  /** @type {number[]} */
  let shares = [];
  /** @type {number[]} */
  let drawn = [];
  const show = () => {
    const { logits } = data.texts[Number(form.elements.text.value)];
    fill(body, [
      ...order
        .slice(0, SHOWN)
        .map((at, rank) => [
          named(data.characters[at]),
          digits(logits[at]),
          shares[rank] ? bar(shares[rank]) : bar(0, "left out"),
          `${drawn[rank]}`,
        ]),
      [
        `${ALL - SHOWN} others`,
        "",
        shares[SHOWN] ? bar(total(shares.slice(SHOWN))) : bar(0, "left out"),
        `${total(drawn.slice(SHOWN))}`,
      ],
    ]);
    const entropy = -total(shares.map((share) => (share ? share * Math.log(share) : 0)));
    say(
      `${shares.filter(Boolean).length} of ${ALL} characters can be drawn; it is as uncertain as a choice among ` +
        `${digits(Math.exp(entropy), 1)} equally likely ones.`,
    );
  };
  draw.addEventListener("click", () => {
    for (let i = 0; i < 100; i++) {
      let left = Math.random();
      const rank = shares.findIndex((share) => (left -= share) < 0);
      drawn[Math.max(rank, 0)] += 1;
    }
    show();
  });
  return () => {
    const { text, temperature, k, p } = form.elements;
    const { logits } = data.texts[Number(text.value)];
    order = logits.map((_, i) => i).sort((a, b) => logits[b] - logits[a]);
    shares = probabilities(
      order.map((i) => logits[i]),
      temperature.valueAsNumber,
      k.valueAsNumber,
      p.valueAsNumber,
    );
    drawn = shares.map(() => 0);
    show();
  };
};
