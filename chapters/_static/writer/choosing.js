// @ts-check
// How the next character is chosen from the logits, as solutions/generation.py does it: divide by the
// temperature, cut by top-k, then by top-p, and draw from what is left.
"use strict";

const writerChoosing = {
  /**
   * For each character: its probability at this temperature, what cuts it ("" if nothing does), and
   * the probability with which it is drawn. Temperature 0 is greedy: only the likeliest is left.
   * @param {ArrayLike<number>} logits
   * @param {{ temperature: number, k: number, p: number }} settings
   */
  distribution(logits, { temperature, k, p }) {
    const scaled = Array.from(logits, (logit) => (temperature ? logit / temperature : logit));
    const order = scaled.map((_, i) => i).sort((a, b) => scaled[b] - scaled[a]); // equal ones stay in order
    const heated = softmax(scaled),
      cut = scaled.map(() => "");
    if (!temperature)
      order.slice(1).forEach((i) => {
        cut[i] = "greedy";
      });
    else {
      const smallest = scaled[order[Math.min(k, order.length) - 1]];
      scaled.forEach((logit, i) => {
        if (logit < smallest) cut[i] = "top-k";
      });
      const kept = softmax(scaled.map((logit, i) => (cut[i] ? -Infinity : logit)));
      let before = 0; // of all that are more likely
      order.forEach((i) => {
        if (p < 1 && before >= p && !cut[i]) cut[i] = "top-p";
        before += kept[i];
      });
    }
    return {
      order,
      heated,
      cut,
      drawn: softmax(scaled.map((logit, i) => (cut[i] ? -Infinity : logit))),
    };
  },

  /**
   * A number from 0 to 1 that depends on the seed and the position only: whoever goes back in a text
   * and on again meets the same numbers. The mixing is from Chris Wellons' hash-prospector.
   * @param {number} seed
   * @param {number} position
   */
  random(seed, position) {
    let x = Math.imul(seed, 0x9e3779b9) + position;
    x = Math.imul(x ^ (x >>> 16), 0x21f0aaad);
    x = Math.imul(x ^ (x >>> 15), 0xd35a2d97);
    return ((x ^ (x >>> 15)) >>> 0) / 2 ** 32;
  },

  /**
   * Go down the list, the likeliest first, until the sum of the probabilities exceeds the number.
   * @param {{ order: number[], drawn: number[] }} distribution
   * @param {number} number
   */
  draw({ order, drawn }, number) {
    let sum = 0;
    return order.find((i) => (sum += drawn[i]) > number) ?? order[0];
  },
};
