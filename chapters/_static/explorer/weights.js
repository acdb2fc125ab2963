// From the scripts of the weights to a model that answers: the scripts are loaded when they are asked
// for, and a worker unpacks them and computes, so that typing stays smooth. A page from a folder may
// not load a worker's file, so the worker is made of the functions below.
"use strict";

const explorerWeights = { parts: [], vocabulary: "", folder: document.currentScript.src.replace(/[^/]*$/, "") };

class ExplorerModel {
  // Loads everything; progress is called with the share that has arrived.
  async load(about, progress) {
    const sizes = Object.entries(about.scripts);
    const all = sizes.reduce((sum, [, size]) => sum + size, 0);
    let arrived = 0;
    await Promise.all(sizes.map(async ([name, size]) => {
      await ExplorerModel.script(explorerWeights.folder + name);
      progress((arrived += size) / all);
    }));
    this.tokenizer = new WordPiece(explorerWeights.vocabulary.split("\n"));
    const functions = [ExplorerEncoder, unpackText, unpackWeights, serveExplorer];
    const source = new Blob([`"use strict";\n${functions.join("\n")}\nserveExplorer();`]);
    this.worker = new Worker(URL.createObjectURL(source));
    this.waiting = new Map();
    this.worker.onmessage = ({ data: { number, answer, error } }) => {
      const { resolve, reject } = this.waiting.get(number);
      this.waiting.delete(number);
      if (error) reject(new Error(error));
      else resolve(answer);
    };
    const { parts } = explorerWeights;
    explorerWeights.parts = []; // the worker has its own copy
    await this.ask("load", about, this.tokenizer.tokens, parts);
  }

  static script(address) {
    return new Promise((resolve, reject) => {
      const tag = Object.assign(document.createElement("script"), { src: address, onload: resolve });
      tag.onerror = () => reject(new Error(`${address} cannot be loaded`));
      document.head.append(tag);
    }).finally(() => document.head.querySelector(`script[src="${address}"]`).remove());
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

  ask(what, ...values) {
    const number = (this.asked = (this.asked ?? 0) + 1);
    return new Promise((resolve, reject) => {
      this.waiting.set(number, { resolve, reject });
      this.worker.postMessage({ number, what, values });
    });
  }
}

// ---- In the worker --------------------------------------------------------------------------------

function serveExplorer() {
  let encoder;
  const answers = {
    load: async (about, vocabulary, parts) => {
      encoder = new ExplorerEncoder(await unpackWeights(about, vocabulary, parts));
    },
    read: (ids, broken) => {
      const began = performance.now(), trace = encoder.read(ids, broken);
      return { ...trace, milliseconds: performance.now() - began };
    },
    rows: (ids) => ids.map((id) => encoder.word(id)),
    nearest: (vectors, count, leftOut) => encoder.nearest(vectors, count, leftOut),
  };
  onmessage = async ({ data: { number, what, values } }) => {
    try {
      postMessage({ number, answer: await answers[what](...values) });
    } catch (error) {
      postMessage({ number, error: String(error) });
    }
  };
}

// Seven bits of each character, as eight bits to a byte.
function unpackText(text, length) {
  const bytes = new Uint8Array(length);
  for (let i = 0, at = 0, held = 0, bits = 0; at < length; i++) {
    held = (held << 7) | (text.charCodeAt(i) & 127);
    bits += 7;
    if (bits < 8) continue;
    bits -= 8;
    bytes[at++] = held >> bits;
    held &= (1 << bits) - 1;
  }
  return bytes;
}

// What ExplorerEncoder takes. Matrices become numbers again; the table of words stays integers.
async function unpackWeights(about, vocabulary, parts) {
  const compressed = parts.map((text, i) => unpackText(text, Math.min(about.part, about.bytes - i * about.part)));
  const stream = new Blob(compressed).stream().pipeThrough(new DecompressionStream("deflate"));
  const buffer = await new Response(stream).arrayBuffer();
  const { matrices, vectors } = about.places;
  const tensors = {}, found = {};
  let at = 0;
  for (const [name, rows, columns] of matrices) {
    found[name] = new Int8Array(buffer, at, rows * columns);
    at += rows * columns;
  }
  at = Math.ceil(at / 4) * 4;
  const floats = (count) => new Float32Array(buffer, (at += 4 * count) - 4 * count, count);
  const table = {};
  for (const [name, rows, columns] of matrices) {
    const steps = floats(rows), integers = found[name];
    if (name === "embeddings.word_embeddings.weight") Object.assign(table, { integers, steps });
    else tensors[name] = Float32Array.from(integers, (integer, i) => integer * steps[Math.floor(i / columns)]);
  }
  for (const [name, count] of vectors) tensors[name] = floats(count);
  let row = 0;
  table.rows = Int32Array.from(vocabulary, (token) => (token.startsWith("[unused") ? -1 : row++));
  return { config: about.config, tensors, table };
}
