// @ts-check
// Arithmetic that both models of the explorer need. A matrix [rows, columns] is one array, row after row.
"use strict";

/**
 * x @ weight.T + bias for x [tokens, width] and weight [size, width]; bias may be missing. Four
 * tokens at a time, so that each weight is fetched once for the four; a token that is left over has
 * four sums at a time instead, which do not wait for one another.
 * @param {Float32Array} x
 * @param {number} tokens
 * @param {Float32Array} weight
 * @param {Float32Array | null} bias
 * @param {number} size
 */
function linear(x, tokens, weight, bias, size) {
  const width = weight.length / size,
    y = new Float32Array(tokens * size);
  let token = 0;
  for (; token + 4 <= tokens; token += 4) {
    const a = token * width,
      b = a + width,
      c = b + width,
      d = c + width;
    for (let row = 0; row < size; row++) {
      const start = row * width;
      let ya = bias ? bias[row] : 0,
        yb = ya,
        yc = ya,
        yd = ya;
      for (let i = 0; i < width; i++) {
        const w = weight[start + i];
        ya += w * x[a + i];
        yb += w * x[b + i];
        yc += w * x[c + i];
        yd += w * x[d + i];
      }
      y[token * size + row] = ya;
      y[(token + 1) * size + row] = yb;
      y[(token + 2) * size + row] = yc;
      y[(token + 3) * size + row] = yd;
    }
  }
  for (; token < tokens; token++) {
    const at = token * width;
    for (let first = 0; first < size; first += 4) {
      const row = Math.min(first, size - 4); // the last group goes back to rows that are done
      const a = row * width,
        b = a + width,
        c = b + width,
        d = c + width;
      let ya = bias ? bias[row] : 0,
        yb = bias ? bias[row + 1] : 0;
      let yc = bias ? bias[row + 2] : 0,
        yd = bias ? bias[row + 3] : 0;
      for (let i = 0; i < width; i++) {
        const number = x[at + i];
        ya += weight[a + i] * number;
        yb += weight[b + i] * number;
        yc += weight[c + i] * number;
        yd += weight[d + i] * number;
      }
      const to = token * size + row;
      y[to] = ya;
      y[to + 1] = yb;
      y[to + 2] = yc;
      y[to + 3] = yd;
    }
  }
  return y;
}
