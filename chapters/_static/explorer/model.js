// @ts-check
// The encoder of chapter 6 in plain JavaScript: the same steps, names and shapes as solutions/, on
// typed arrays. A matrix [rows, columns] is one array, row after row.
"use strict";

/**
 * What a layer computes. Queries, keys and values are packed as [token, 3 * hidden]; scores and
 * weights are [head, query, key], everything else is [token, hidden] or, for neurons, [token, inner].
 * @typedef {Record<"input" | "packed" | "scores" | "weights" | "context" | "update" | "middle" | "neurons" | "fed" | "output", Float32Array>} ExplorerLayer
 */
/**
 * Everything that is computed on the way, for the ids of one text.
 * @typedef {Object} ExplorerTrace
 * @property {number[]} ids
 * @property {Record<"word" | "position" | "segment" | "sum" | "output", Float32Array>} embeddings
 * @property {ExplorerLayer[]} layers
 * @property {number} milliseconds that it took
 */
/**
 * What to break: false for scale, positions or lookAhead, and heads to remove as [layer, head].
 * @typedef {{ scale?: boolean, positions?: boolean, lookAhead?: boolean, removed?: number[][] }} ExplorerBroken
 */
/**
 * The word embeddings, and which of its rows an id has, or −1.
 * @typedef {{ integers: Int8Array | Float32Array, steps: Float32Array, rows: Int32Array }} ExplorerTable
 */
/** @typedef {Record<string, Float32Array>} Tensors by their names in solutions/ */

class ExplorerEncoder {
  /** @param {{ config: typeof explorerAbout.config, tensors: Tensors, table: ExplorerTable }} model */
  constructor({ config, tensors, table }) {
    this.config = config;
    this.tensors = tensors;
    this.table = table;
    /** @type {Float32Array | null} */
    this.lengths = null; // of the rows of the table
  }

  /**
   * @param {number[]} ids
   * @param {ExplorerBroken} broken
   * @returns {Omit<ExplorerTrace, "milliseconds">}
   */
  read(ids, { scale = true, positions = true, lookAhead = true, removed = [] } = {}) {
    const embeddings = this.embed(ids, positions);
    /** @type {ExplorerLayer[]} */
    const layers = [];
    /** @type {Float32Array} */
    let x = embeddings.output;
    for (let layer = 0; layer < this.config.layers; layer++) {
      const silent = removed.filter(([where]) => where === layer).map(([, head]) => head);
      layers.push(this.layer(layer, x, ids.length, { scale, lookAhead, silent }));
      x = layers[layer].output;
    }
    return { ids, embeddings, layers };
  }

  /**
   * @param {number[]} ids
   * @param {boolean} positions
   */
  embed(ids, positions) {
    const { hidden } = this.config;
    const places = this.tensors["embeddings.position_embeddings.weight"];
    const segment = this.tensors["embeddings.token_type_embeddings.weight"].slice(0, hidden);
    const word = new Float32Array(ids.length * hidden),
      position = new Float32Array(ids.length * hidden);
    ids.forEach((id, token) => word.set(this.word(id), token * hidden));
    if (positions) position.set(places.subarray(0, position.length));
    const sum = word.map((number, i) => number + position[i] + segment[i % hidden]);
    return { word, position, segment, sum, output: this.norm(sum, "embeddings.norm") };
  }

  /**
   * The row of the table for a token.
   * @param {number} id
   */
  word(id) {
    const { hidden } = this.config,
      { integers, steps, rows } = this.table,
      row = rows[id];
    return Float32Array.from(
      integers.subarray(row * hidden, (row + 1) * hidden),
      (integer) => integer * steps[row],
    );
  }

  /**
   * @param {number} layer
   * @param {Float32Array} input
   * @param {number} tokens
   * @param {{ scale: boolean, lookAhead: boolean, silent: number[] }} options heads that are silent
   * @returns {ExplorerLayer}
   */
  layer(layer, input, tokens, { scale, lookAhead, silent }) {
    const { heads, hidden, inner } = this.config;
    const size = hidden / heads,
      name = `layers.${layer}`;
    const packed = this.linear(input, tokens, `${name}.attention.query_key_value`, 3 * hidden);
    const scores = new Float32Array(heads * tokens * tokens); // [head, query, key]
    const weights = new Float32Array(heads * tokens * tokens);
    const context = new Float32Array(tokens * hidden);
    for (let head = 0; head < heads; head++) {
      for (let q = 0; q < tokens; q++) {
        const row = (head * tokens + q) * tokens,
          query = q * 3 * hidden + head * size;
        const keys = lookAhead ? tokens : q + 1;
        let largest = -Infinity,
          total = 0;
        for (let k = 0; k < tokens; k++) {
          const key = k * 3 * hidden + hidden + head * size;
          let score = 0;
          for (let i = 0; i < size; i++) score += packed[query + i] * packed[key + i];
          scores[row + k] = score;
          if (k < keys) largest = Math.max(largest, score);
        }
        const divisor = scale ? Math.sqrt(size) : 1;
        for (let k = 0; k < keys; k++) {
          weights[row + k] = Math.exp((scores[row + k] - largest) / divisor);
          total += weights[row + k];
        }
        for (let k = 0; k < keys; k++) {
          weights[row + k] /= total;
          if (silent.includes(head)) continue; // its update stays zero
          const value = k * 3 * hidden + 2 * hidden + head * size;
          for (let i = 0; i < size; i++)
            context[q * hidden + head * size + i] += weights[row + k] * packed[value + i];
        }
      }
    }
    const update = this.linear(context, tokens, `${name}.attention.output`, hidden);
    const middle = this.norm(
      update.map((number, i) => number + input[i]),
      `${name}.attention_norm`,
    );
    const neurons = this.linear(middle, tokens, `${name}.feed_forward.intermediate`, inner).map(
      ExplorerEncoder.gelu,
    );
    const fed = this.linear(neurons, tokens, `${name}.feed_forward.output`, hidden);
    const output = this.norm(
      fed.map((number, i) => number + middle[i]),
      `${name}.feed_forward_norm`,
    );
    return { input, packed, scores, weights, context, update, middle, neurons, fed, output };
  }

  /**
   * @param {Float32Array} x
   * @param {number} tokens
   * @param {string} name
   * @param {number} size
   */
  linear(x, tokens, name, size) {
    return linear(x, tokens, this.tensors[`${name}.weight`], this.tensors[`${name}.bias`], size);
  }

  /**
   * Layer normalisation of each token's vector.
   * @param {Float32Array} x
   * @param {string} name
   */
  norm(x, name) {
    const { hidden, epsilon } = this.config;
    const weight = this.tensors[`${name}.weight`],
      bias = this.tensors[`${name}.bias`];
    const y = new Float32Array(x.length);
    for (let start = 0; start < x.length; start += hidden) {
      let mean = 0,
        variance = 0;
      for (let i = start; i < start + hidden; i++) mean += x[i] / hidden;
      for (let i = start; i < start + hidden; i++) variance += (x[i] - mean) ** 2 / hidden;
      const deviation = Math.sqrt(variance + epsilon);
      for (let i = 0; i < hidden; i++)
        y[start + i] = ((x[start + i] - mean) / deviation) * weight[i] + bias[i];
    }
    return y;
  }

  /**
   * For each vector, the ids of the words whose rows in the table have the largest cosine with it.
   * @param {Float32Array[]} vectors
   * @param {number} count
   * @param {number} leftOut an id
   */
  nearest(vectors, count, leftOut) {
    const { hidden } = this.config;
    const { integers, rows } = this.table;
    const lengths =
      this.lengths ??
      Float32Array.from(rows, (row) => {
        let sum = 0;
        for (let i = Math.max(0, row) * hidden; i < (row + 1) * hidden; i++)
          sum += integers[i] ** 2;
        return Math.sqrt(sum) || 1;
      });
    this.lengths = lengths;
    return vectors.map((vector) => {
      /** @type {[number, number][]} */
      const best = []; // [cosine, id], the largest first
      rows.forEach((row, id) => {
        if (row < 0 || id === leftOut) return;
        let product = 0;
        for (let i = 0, at = row * hidden; i < hidden; i++, at++)
          product += integers[at] * vector[i];
        const cosine = product / lengths[id];
        if (best.length === count && cosine <= best[count - 1][0]) return;
        const place = best.findIndex(([other]) => other < cosine);
        best.splice(place < 0 ? best.length : place, 0, [cosine, id]);
        best.length = Math.min(best.length, count);
      });
      return best.map(([, id]) => id);
    });
  }

  /**
   * x * Φ(x), with the error function to 1.5e-7 (Abramowitz and Stegun 1964, formula 7.1.26).
   * @param {number} x
   */
  static gelu(x) {
    const z = Math.abs(x) / Math.SQRT2,
      t = 1 / (1 + 0.3275911 * z);
    const series =
      t *
      (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
    return 0.5 * x * (1 + Math.sign(x) * (1 - series * Math.exp(-z * z)));
  }
}
