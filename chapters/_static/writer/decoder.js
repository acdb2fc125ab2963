// @ts-check
// The decoder of chapter 8 in plain JavaScript: the same steps, names and shapes as solutions/, on
// typed arrays. A matrix [rows, columns] is one array, row after row.
"use strict";

// Keys and values of all layers, [position, hidden] each: the heads lie side by side. To forget the
// end of a text, make `length` smaller.
class WriterCache {
  /** @param {{ layers: number, hidden: number, positions: number }} config */
  constructor({ layers, hidden, positions }) {
    const room = () => Array.from({ length: layers }, () => new Float32Array(positions * hidden));
    this.length = 0;
    this.keys = room();
    this.values = room();
  }
}

/**
 * What is found out about a position: the attention weights [layer, head, position + 1], the keys and
 * values [layer, hidden] that the cache has got, and the logits of what comes next.
 * @typedef {Record<"weights" | "keys" | "values", Float32Array>} WriterRecord
 * @typedef {WriterRecord & { logits: Float32Array }} WriterFound
 */

class WriterDecoder {
  /** @param {{ config: typeof writerAbout.config, tensors: Tensors }} model */
  constructor({ config, tensors }) {
    this.config = config;
    this.tensors = tensors;
  }

  /**
   * Read the ids that follow what is in the cache, and extend it. Returns what is found out about
   * each position from `from` on.
   * @param {number[]} ids
   * @param {WriterCache} cache
   * @returns {WriterFound[]}
   */
  read(ids, cache, from = cache.length) {
    const { layers, hidden, inner, vocabulary, positions } = this.config;
    const past = cache.length,
      tokens = ids.length;
    if (past + tokens > positions)
      throw new Error(
        `The text has ${past + tokens} characters; the model knows ${positions} positions.`,
      );
    const table = this.tensors["decoder.embeddings.word_embeddings.weight"];
    const x = new Float32Array(tokens * hidden);
    ids.forEach((id, token) =>
      x.set(table.subarray(id * hidden, (id + 1) * hidden), token * hidden),
    );
    const found = ids.map((_, token) => this.record(past + token, from));
    for (let layer = 0; layer < layers; layer++) {
      const name = `decoder.stack.layers.${layer}`;
      const packed = this.linear(
        this.norm(x, `${name}.attention_norm`),
        tokens,
        `${name}.attention.query_key_value`,
        3 * hidden,
      );
      const context = this.attend(layer, packed, cache, found);
      this.add(x, this.linear(context, tokens, `${name}.attention.output`, hidden));
      const normed = this.norm(x, `${name}.feed_forward_norm`);
      const gate = this.linear(normed, tokens, `${name}.feed_forward.gate`, inner);
      const expanded = this.linear(normed, tokens, `${name}.feed_forward.intermediate`, inner);
      gate.forEach((g, i) => {
        expanded[i] *= g / (1 + Math.exp(-g));
      }); // SiLU of the gate
      this.add(x, this.linear(expanded, tokens, `${name}.feed_forward.output`, hidden));
    }
    cache.length += tokens;
    const last = this.norm(x, "decoder.stack.final_norm");
    return found.flatMap((record, token) => {
      if (!record) return [];
      const logits = linear(
        last.subarray(token * hidden, (token + 1) * hidden),
        1,
        table,
        null,
        vocabulary,
      );
      return [{ logits, ...record }];
    });
  }

  /**
   * @param {number} position
   * @param {number} from
   * @returns {WriterRecord | null}
   */
  record(position, from) {
    if (position < from) return null;
    const { layers, heads, hidden } = this.config;
    return {
      weights: new Float32Array(layers * heads * (position + 1)),
      keys: new Float32Array(layers * hidden),
      values: new Float32Array(layers * hidden),
    };
  }

  /**
   * Multi-head attention of new tokens to all up to themselves. Keys go into the cache as they were
   * rotated. Returns the updates of the heads, side by side.
   * @param {number} layer
   * @param {Float32Array} packed
   * @param {WriterCache} cache
   * @param {(WriterRecord | null)[]} found
   */
  attend(layer, packed, cache, found) {
    const { heads, hidden } = this.config,
      size = hidden / heads,
      past = cache.length;
    const keys = cache.keys[layer],
      values = cache.values[layer];
    const context = new Float32Array(found.length * hidden),
      weights = new Float32Array(past + found.length);
    found.forEach((record, token) => {
      const position = past + token,
        start = token * 3 * hidden;
      const query = this.rotate(packed.subarray(start, start + hidden), position);
      const key = this.rotate(packed.subarray(start + hidden, start + 2 * hidden), position);
      const value = packed.subarray(start + 2 * hidden, start + 3 * hidden);
      keys.set(key, position * hidden);
      values.set(value, position * hidden);
      record?.keys.set(key, layer * hidden);
      record?.values.set(value, layer * hidden);
      for (let head = 0; head < heads; head++) {
        const first = head * size;
        let largest = -Infinity,
          total = 0;
        for (let k = 0; k <= position; k++) {
          let score = 0;
          for (let i = first, at = k * hidden + first; i < first + size; i++, at++)
            score += query[i] * keys[at];
          weights[k] = score / Math.sqrt(size);
          largest = Math.max(largest, weights[k]);
        }
        for (let k = 0; k <= position; k++) total += weights[k] = Math.exp(weights[k] - largest);
        for (let k = 0; k <= position; k++) {
          const weight = (weights[k] /= total);
          for (let i = first, at = k * hidden + first; i < first + size; i++, at++)
            context[token * hidden + i] += weight * values[at];
        }
        record?.weights.set(
          weights.subarray(0, position + 1),
          (layer * heads + head) * (position + 1),
        );
      }
    });
    return context;
  }

  /**
   * Rotary positions, of all heads side by side: numbers i and i + size / 2 of a head are a pair.
   * @param {Float32Array} vector
   * @param {number} position
   */
  rotate(vector, position) {
    const { heads, hidden, theta } = this.config,
      size = hidden / heads,
      pairs = size / 2;
    const rotated = new Float32Array(hidden);
    for (let pair = 0; pair < pairs; pair++) {
      const angle = position * theta ** (-pair / pairs),
        cos = Math.cos(angle),
        sin = Math.sin(angle);
      for (let a = pair; a < hidden; a += size) {
        const b = a + pairs;
        rotated[a] = vector[a] * cos - vector[b] * sin;
        rotated[b] = vector[b] * cos + vector[a] * sin;
      }
    }
    return rotated;
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
   * The residual sum, in place.
   * @param {Float32Array} x
   * @param {Float32Array} update
   */
  add(x, update) {
    update.forEach((number, i) => {
      x[i] += number;
    });
  }

  /**
   * RMSNorm of each token's vector.
   * @param {Float32Array} x
   * @param {string} name
   */
  norm(x, name) {
    const { hidden, epsilon } = this.config,
      weight = this.tensors[`${name}.weight`];
    const y = new Float32Array(x.length);
    for (let start = 0; start < x.length; start += hidden) {
      let square = 0;
      for (let i = start; i < start + hidden; i++) square += (x[i] * x[i]) / hidden;
      const size = Math.sqrt(square + epsilon);
      for (let i = 0; i < hidden; i++) y[start + i] = (x[start + i] / size) * weight[i];
    }
    return y;
  }
}
