// @ts-check
// A model that computes in a worker, so that the page stays responsive: its weights are scripts that
// are loaded when they are asked for. A page from a folder may not load a worker's file, so the
// worker is made of functions of the page.
"use strict";

class WorkerModel {
  // Where the scripts of the weights put what they bring, and where the folders with them are.
  static brought = { parts: /** @type {string[]} */ ([]), vocabulary: "" };
  static folder = new URL("..", /** @type {HTMLScriptElement} */ (document.currentScript).src).href;

  /** @type {Worker | null} */
  worker = null;
  /** @type {Map<number, { resolve: (answer: any) => void, reject: (error: Error) => void }>} */
  waiting = new Map();
  asked = 0;

  /**
   * Load everything that `about` lists, and start the worker with these functions and classes, the
   * last of which serves; progress is called with the share that has arrived.
   * @param {ModelScripts} about
   * @param {string} folder
   * @param {Function[]} functions
   * @param {(share: number) => void} progress
   * @param {(() => unknown)[]} more what the worker is told as well
   */
  async start(about, folder, functions, progress, ...more) {
    const sizes = Object.entries(about.scripts);
    const all = sizes.reduce((sum, [, size]) => sum + size, 0);
    let arrived = 0;
    await Promise.all(
      sizes.map(async ([name, size]) => {
        await WorkerModel.script(`${WorkerModel.folder}${folder}/${name}`);
        progress((arrived += size) / all);
      }),
    );
    const { parts } = WorkerModel.brought;
    WorkerModel.brought.parts = []; // the worker has its own copy
    const inside = [linear, unpackText, unpackBytes, serveAnswers, ...functions];
    const source = new Blob([
      `"use strict";\n${inside.join("\n")}\n${functions[functions.length - 1].name}();`,
    ]);
    this.worker = new Worker(URL.createObjectURL(source));
    this.worker.onmessage = ({ data: { number, answer, error } }) => {
      const asker = this.waiting.get(number);
      this.waiting.delete(number);
      if (error) asker?.reject(new Error(error));
      else asker?.resolve(answer);
    };
    await this.ask("load", about, parts, ...more.map((value) => value()));
  }

  /** @param {string} address */
  static script(address) {
    const tag = element("script", { src: address });
    return new Promise((resolve, reject) => {
      tag.onload = resolve;
      tag.onerror = () => reject(new Error(`${address} cannot be loaded`));
      document.head.append(tag);
    }).finally(() => tag.remove());
  }

  /**
   * What the worker answers.
   * @param {string} what
   * @param {unknown[]} values
   * @returns {Promise<any>}
   */
  ask(what, ...values) {
    this.asked += 1;
    return new Promise((resolve, reject) => {
      this.waiting.set(this.asked, { resolve, reject });
      this.worker?.postMessage({ number: this.asked, what, values });
    });
  }
}

// ---- In the worker --------------------------------------------------------------------------------

/**
 * Answer each message with what the function of that name returns.
 * @param {Record<string, (...values: any[]) => unknown>} answers
 */
function serveAnswers(answers) {
  addEventListener("message", async ({ data: { number, what, values } }) => {
    try {
      postMessage({ number, answer: await answers[what](...values) });
    } catch (error) {
      postMessage({ number, error: /** @type {Error} */ (error).message });
    }
  });
}

/**
 * Seven bits of each character, as eight bits to a byte.
 * @param {string} text
 * @param {number} length in bytes
 */
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

/**
 * The bytes that `data_scripts.py` compressed and wrote as text, in parts.
 * @param {ModelScripts} about
 * @param {string[]} parts
 */
function unpackBytes(about, parts) {
  const compressed = parts.map((text, i) =>
    unpackText(text, Math.min(about.part, about.bytes - i * about.part)),
  );
  const stream = new Blob(compressed).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}
