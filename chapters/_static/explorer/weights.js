// @ts-check
// From the scripts of MiniLM's weights to a model that answers.
"use strict";

class ExplorerModel extends WorkerModel {
  tokenizer = new WordPiece([]);

  /**
   * Loads everything; progress is called with the share that has arrived.
   * @param {typeof explorerAbout} about
   * @param {(share: number) => void} progress
   */
  async load(about, progress) {
    const tokens = () => {
      this.tokenizer = new WordPiece(WorkerModel.brought.vocabulary.split("\n"));
      return this.tokenizer.tokens;
    };
    await this.start(
      about,
      "explorer",
      [ExplorerEncoder, unpackWeights, serveExplorer],
      progress,
      tokens,
    );
  }

  /**
   * @param {number[]} ids
   * @param {ExplorerBroken} broken
   * @returns {Promise<ExplorerTrace>}
   */
  read(ids, broken = {}) {
    return this.ask("read", ids, broken);
  }

  /**
   * The rows of the table.
   * @param {(number | undefined)[]} ids
   * @returns {Promise<Float32Array[]>}
   */
  rows(ids) {
    return this.ask("rows", ids);
  }

  /**
   * For each vector, the words whose rows are closest to it.
   * @param {Float32Array[]} vectors
   * @param {number} count
   * @param {number} leftOut
   * @returns {Promise<number[][]>}
   */
  nearest(vectors, count, leftOut) {
    return this.ask("nearest", vectors, count, leftOut);
  }
}

// ---- In the worker --------------------------------------------------------------------------------

function serveExplorer() {
  /** @type {ExplorerEncoder} */
  let encoder;
  serveAnswers({
    load: async (about, parts, vocabulary) => {
      encoder = new ExplorerEncoder(await unpackWeights(about, vocabulary, parts));
    },
    read: (ids, broken) => {
      const began = performance.now(),
        trace = encoder.read(ids, broken);
      return { ...trace, milliseconds: performance.now() - began };
    },
    rows: (/** @type {number[]} */ ids) => ids.map((id) => encoder.word(id)),
    nearest: (vectors, count, leftOut) => encoder.nearest(vectors, count, leftOut),
  });
}

/**
 * What ExplorerEncoder takes. Matrices become numbers again; the table of words stays integers.
 * @param {typeof explorerAbout} about
 * @param {string[]} vocabulary
 * @param {string[]} parts
 */
async function unpackWeights(about, vocabulary, parts) {
  const buffer = await unpackBytes(about, parts);
  const { matrices, vectors } = about.places;
  /** @type {Tensors} */
  const tensors = {};
  /** @type {Record<string, Int8Array>} */
  const found = {};
  let at = 0;
  for (const [name, rows, columns] of matrices) {
    found[name] = new Int8Array(buffer, at, rows * columns);
    at += rows * columns;
  }
  at = Math.ceil(at / 4) * 4;
  const floats = (/** @type {number} */ count) =>
    new Float32Array(buffer, (at += 4 * count) - 4 * count, count);
  let row = 0;
  const rows = Int32Array.from(
    vocabulary.map((token) => (token.startsWith("[unused") ? -1 : row++)),
  );
  const table = { integers: new Int8Array(), steps: new Float32Array(), rows };
  for (const [name, rows, columns] of matrices) {
    const steps = floats(rows),
      integers = found[name];
    if (name === "embeddings.word_embeddings.weight") Object.assign(table, { integers, steps });
    else
      tensors[name] = Float32Array.from(
        integers,
        (integer, i) => integer * steps[Math.floor(i / columns)],
      );
  }
  for (const [name, count] of vectors) tensors[name] = floats(count);
  return { config: about.config, tensors, table };
}
