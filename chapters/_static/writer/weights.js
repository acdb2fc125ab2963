// @ts-check
// From the scripts of the writer's weights to a model that answers.
"use strict";

class WriterModel extends WorkerModel {
  /**
   * @param {typeof writerAbout} about
   * @param {(share: number) => void} progress
   */
  load(about, progress) {
    return this.start(
      about,
      "writer",
      [WriterCache, WriterDecoder, unpackHalves, serveWriter],
      progress,
    );
  }

  /**
   * What the model makes of the positions of a text from `from` on. With the cache it reads only what
   * it has not read yet, without it everything.
   * @param {number[]} ids
   * @param {number} from
   * @param {boolean} useCache
   * @returns {Promise<{ found: WriterFound[], read: number, milliseconds: number }>}
   */
  read(ids, from, useCache) {
    return this.ask("read", ids, from, useCache);
  }
}

// ---- In the worker --------------------------------------------------------------------------------

function serveWriter() {
  /** @type {WriterDecoder} */
  let decoder;
  /** @type {WriterCache} */
  let cache;
  /** @type {number[]} */
  let inCache = [];
  serveAnswers({
    load: async (about, parts) => {
      decoder = new WriterDecoder({
        config: about.config,
        tensors: await unpackHalves(about, parts),
      });
      cache = new WriterCache(about.config);
    },
    read: (ids, from, useCache) => {
      let kept = 0;
      while (useCache && kept < from && inCache[kept] === ids[kept]) kept++;
      inCache = inCache.slice(0, kept); // if reading fails, this is what is left
      cache.length = kept;
      const began = performance.now(),
        found = decoder.read(ids.slice(kept), cache, from);
      inCache = ids;
      return { found, read: ids.length - kept, milliseconds: performance.now() - began };
    },
  });
}

/**
 * The tensors, from numbers of 16 bits: the upper bytes of all, then the lower ones.
 * @param {typeof writerAbout} about
 * @param {string[]} parts
 */
async function unpackHalves(about, parts) {
  const bytes = new Uint8Array(await unpackBytes(about, parts)),
    count = bytes.length / 2;
  const numbers = Float32Array.from({ length: 2 ** 16 }, (_, half) => {
    const sign = half >> 15 ? -1 : 1,
      exponent = (half >> 10) & 31,
      fraction = half & 1023;
    return sign * (exponent ? (1024 + fraction) * 2 ** (exponent - 25) : fraction * 2 ** -24);
  });
  const all = new Float32Array(count);
  /** @type {Tensors} */
  const tensors = {};
  for (let i = 0; i < count; i++) all[i] = numbers[(bytes[i] << 8) | bytes[count + i]];
  let at = 0;
  for (const [name, size] of about.places) tensors[name] = all.subarray(at, (at += size));
  return tensors;
}
