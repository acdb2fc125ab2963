// From the scripts of MiniLM's weights to a model that answers.
"use strict";

class ExplorerModel extends WorkerModel {
  // Loads everything; progress is called with the share that has arrived.
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

  read(ids, broken = {}) {
    return this.ask("read", ids, broken);
  }

  // The rows of the table, and the words whose rows are closest to vectors.
  rows(ids) {
    return this.ask("rows", ids);
  }

  nearest(vectors, count, leftOut) {
    return this.ask("nearest", vectors, count, leftOut);
  }
}

// ---- In the worker --------------------------------------------------------------------------------

function serveExplorer() {
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
    rows: (ids) => ids.map((id) => encoder.word(id)),
    nearest: (vectors, count, leftOut) => encoder.nearest(vectors, count, leftOut),
  });
}

// What ExplorerEncoder takes. Matrices become numbers again; the table of words stays integers.
async function unpackWeights(about, vocabulary, parts) {
  const buffer = await unpackBytes(about, parts);
  const { matrices, vectors } = about.places;
  const tensors = {},
    found = {};
  let at = 0;
  for (const [name, rows, columns] of matrices) {
    found[name] = new Int8Array(buffer, at, rows * columns);
    at += rows * columns;
  }
  at = Math.ceil(at / 4) * 4;
  const floats = (count) => new Float32Array(buffer, (at += 4 * count) - 4 * count, count);
  const table = {};
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
  let row = 0;
  table.rows = Int32Array.from(vocabulary, (token) => (token.startsWith("[unused") ? -1 : row++));
  return { config: about.config, tensors, table };
}
