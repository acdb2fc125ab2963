// @ts-check
// The page "Watch it write": the text and the settings (the state, which the address keeps), and what
// the model makes of the text. Before the weights are loaded that is known for the opening example,
// which comes with the page. The panels are in panels.js.
"use strict";

(() => {
  const places = explorerPlaces();
  if (!places.text) return;

  const {
    layers: LAYERS,
    heads: HEADS,
    vocabulary: VOCABULARY,
    positions: POSITIONS,
  } = writerAbout.config;
  const CHARACTERS = [...writerAbout.characters];
  const IDS = new Map(CHARACTERS.map((character, id) => [character, id]));
  const START = {
    start: writerOpening.text,
    written: "",
    at: /** @type {number | ""} */ (""), // the place that is looked at; none is the last one
    temperature: 1,
    k: VOCABULARY,
    p: 1,
    seed: 1,
    layer: 0,
    head: 0,
    cache: "on",
  };

  /** @param {URLSearchParams} found */
  function understood(found) {
    /** @type {(key: "temperature" | "k" | "p" | "seed" | "layer" | "head", low: number, high: number, whole?: boolean) => number} */
    const number = (key, low, high, whole = true) => {
      const value = Number(found.get(key) ?? NaN);
      return value >= low && value <= high && (!whole || Number.isInteger(value))
        ? value
        : START[key];
    };
    const at = found.get("at") ?? "";
    return {
      start: found.get("start") ?? START.start,
      written: found.get("written") ?? "",
      at: /^\d+$/.test(at) && Number(at) <= POSITIONS ? Number(at) : START.at,
      temperature: number("temperature", 0, 3, false),
      k: number("k", 1, VOCABULARY),
      p: number("p", 0.05, 1, false),
      seed: number("seed", 0, 999999),
      layer: number("layer", 0, LAYERS - 1),
      head: number("head", 0, HEADS - 1),
      cache: found.get("cache") === "off" ? "off" : "on",
    };
  }
  const { state, keep, follow } = explorerState(START, understood);

  // ---- What the model makes of the text ---------------------------------------------------------------

  const { status, progress, say, fail, ...loading } = explorerLoading(
    writerAbout,
    () => new WriterModel(),
  );
  /** @type {WriterModel | null} */
  let model = null;
  let running = false;
  let presses = 0; // of "Write one character", that have not been answered yet
  /** @type {{ text: string, rows: WriterRow[] }} */
  const opening = { text: writerOpening.text, rows: writerOpening.rows };
  let known = opening; // a text and, for each of its positions, what WriterDecoder found
  /** @type {WriterTimes} */
  const times = { with: new Map(), without: new Map() };
  const which = () => (state.cache === "on" ? "with" : "without");

  const whole = () => state.start + state.written;
  const ids = (/** @type {string} */ text) =>
    Array.from(text, (character) => IDS.get(character) ?? 0);

  async function load() {
    const loaded = await loading.load();
    if (!model) known = { text: "", rows: [] };
    model = loaded;
    return loaded;
  }

  /**
   * Why a text cannot be read, in a sentence.
   * @param {string} text
   */
  function problem(text) {
    const unknown = [...new Set(text)].filter((character) => !IDS.has(character));
    if (!text) return "There is nothing to go on from: type at least one character.";
    if (unknown.length) {
      return (
        `The model has never seen ${unknown
          .slice(0, 8)
          .map((character) => `“${isolated(character)}”`)
          .join(", ")}. ` +
        `Its ${VOCABULARY} characters are the new line, the space and ${CHARACTERS.filter((character) => character > " ").join("")}`
      );
    }
    if (text.length > POSITIONS)
      return `The text has ${text.length} characters, and the model knows ${POSITIONS} positions: shorten it.`;
    return "";
  }

  /**
   * What the model makes of each position of a text, or null if that is not known.
   * @param {string} text
   */
  async function rowsOf(text) {
    const base = model ? known : opening;
    let same = 0;
    while (same < text.length && same < base.rows.length && text[same] === base.text[same]) same++;
    let rows = same === base.rows.length ? base.rows : base.rows.slice(0, same);
    if (same < text.length) {
      if (!model) return null;
      const { found, milliseconds } = await model.read(ids(text), same, state.cache === "on");
      if (found.length === 1) times[which()].set(text.length, milliseconds);
      rows = [...rows, ...found];
    }
    if (model) known = { text, rows };
    return rows;
  }

  // ---- The text and its buttons -----------------------------------------------------------------------

  const loadButton = (/** @type {() => HTMLElement | null} */ next = () => null) =>
    loading.button(() => load().then(update, failed), next);

  /** @param {unknown} error */
  function failed(error) {
    running = false;
    presses = 0;
    fail(error);
  }

  const one = explorerButton("Write one character", () => press().catch(failed));
  const first = loadButton(() => one);
  const run = explorerButton("Write on", () => {
    if (running) stop();
    else load().then(writeOn).catch(failed);
  });
  const again = explorerButton("Back to the beginning", () => change({ written: "", at: "" }));
  const cached = element("input", { type: "checkbox", name: "cache" });
  cached.addEventListener("change", () => change({ cache: cached.checked ? "on" : "off" }));
  const input = element("textarea", { rows: 2, spellcheck: false, autocomplete: "off" });
  /** @type {number | undefined} */
  let waiting;
  input.addEventListener("input", () => {
    stop();
    clearTimeout(waiting);
    waiting = setTimeout(() => change({ start: input.value, written: "", at: "" }), 300);
  });
  const shown = writerDrawing.textBox((at) => choose(at)),
    heard = element("p", { className: "writer-heard" });
  const slide = element("input", { type: "range", min: 1, step: 1 });
  slide.addEventListener("input", () => choose(slide.valueAsNumber - 1));
  const where = element("span", { className: "value" });
  const place = element("label", { className: "writer-place" }, "place in the text ", where, slide);
  places.text.replaceChildren(
    element("label", { className: "writer-start" }, "Beginning", input),
    element(
      "div",
      { className: "explorer-actions" },
      ...[first, one, run, again],
      element("label", { className: "tick" }, cached, " with the cache"),
    ),
    progress,
    status,
    shown,
    heard,
    place,
  );

  /** @type {ExplorerPanel<WriterNow>} */
  const textPanel = {
    shows: ({ text, start, rows, at }) => [
      ...[text, start, rows, at, Boolean(model), running, state.cache],
    ],
    draw({ text, start, rows, at }) {
      if (document.activeElement !== input && input.value !== state.start)
        input.value = state.start;
      const wrong = problem(text),
        full = text.length >= POSITIONS;
      first.hidden = Boolean(model);
      switchOff(one, Boolean(wrong) || full || running);
      switchOff(run, Boolean(wrong) || full);
      switchOff(again, !state.written);
      run.textContent = running ? "Stop" : "Write on";
      cached.checked = state.cache === "on";
      place.hidden = !rows;
      writerDrawing.text(shown, text, { start, at: rows ? at : -1 });
      slide.max = `${text.length}`;
      slide.value = `${at + 1}`;
      const here = text[at] ?? "";
      where.textContent = `${at + 1} of ${text.length}, ${writerDrawing.visible(here)}`;
      slide.setAttribute(
        "aria-valuetext",
        `${at + 1} of ${text.length}: ${writerDrawing.spoken(here)}`,
      );
      if (running) {
        say("Writing …");
        return;
      }
      heard.textContent = `The text: ${text}`;
      say(wrong || done(text, full, Boolean(rows)));
    },
  };

  /**
   * @param {string} text
   * @param {boolean} full
   * @param {boolean} read
   */
  function done(text, full, read) {
    if (full)
      return `The text fills all ${POSITIONS} positions that the model knows. Choose another character further up, or go back to the beginning.`;
    if (!read) return "The model has not read this yet: load it.";
    if (!model)
      return "This beginning was read when the book was built. To write, the model itself is loaded and runs here.";
    const latest = times[which()].get(text.length);
    const took =
      latest === undefined
        ? ""
        : ` The last character took ${digits(latest, 1)} ms ${which()} the cache.`;
    return `${text.length} characters, ${state.written.length} of them written here.${took}`;
  }

  // ---- What a reader can do ---------------------------------------------------------------------------

  /** @param {Partial<typeof START>} changes */
  function change(changes) {
    Object.assign(state, changes);
    return update();
  }

  const choose = (/** @type {number} */ at) => {
    change({ at: at === whole().length - 1 ? "" : at });
  };

  /**
   * Keep the text up to a place, and go on with a character.
   * @param {number} at
   * @param {string} character
   */
  function goOn(at, character) {
    stop();
    const text = whole().slice(0, at + 1),
      start = state.start.slice(0, at + 1);
    return load()
      .then(() => change({ start, written: text.slice(start.length) + character, at: "" }))
      .catch(failed);
  }

  // Write one character. Between characters nothing needs to be drawn.
  async function step(drawn = true) {
    const text = whole(),
      rows = await rowsOf(text);
    if (whole() !== text || !rows) return; // the reader was faster
    const found = writerChoosing.distribution(rows[rows.length - 1].logits, state);
    state.written +=
      CHARACTERS[writerChoosing.draw(found, writerChoosing.random(state.seed, text.length))];
    state.at = "";
    if (drawn) await update();
  }

  // One character for each press, however quickly they come.
  async function press() {
    presses += 1;
    if (presses > 1) return;
    await load();
    while (presses && !problem(whole()) && whole().length < POSITIONS) {
      await step(presses === 1);
      presses = Math.max(0, presses - 1);
    }
    presses = 0;
  }

  async function writeOn() {
    const every = matchMedia("(prefers-reduced-motion: reduce)").matches ? 25 : 1;
    presses = 0;
    running = true;
    for (let i = 1; running && whole().length < POSITIONS; i++) {
      await step(i % every === 0);
      await new Promise(requestAnimationFrame);
    }
    stop();
  }

  function stop() {
    presses = 0;
    if (!running) return;
    running = false;
    update();
  }

  /**
   * Read one more character at eight lengths of the text, with the cache and without it.
   * @param {(done: number, all: number) => boolean} goOn is told how far it is, and says whether to
   */
  async function measure(goOn) {
    const text = whole(),
      all = ids(text);
    if (text.length < 16) return "Write a longer text first: at least 16 characters.";
    const able = await load();
    const lengths = [
      ...new Set(Array.from({ length: 8 }, (_, i) => Math.round((text.length * (i + 1)) / 8))),
    ];
    const work = total(lengths); // without the cache, to read so many characters takes the time
    let done = 0,
      count = 0,
      off = 0;
    for (const length of lengths) {
      /** @type {Record<string, Float32Array>} */
      const logits = {},
        best = { with: Infinity, without: Infinity };
      // the better of two
      for (const which of /** @type {const} */ (["without", "with", "without", "with"])) {
        if (!goOn(done, work)) break;
        const { found, milliseconds } = await able.read(
          all.slice(0, length),
          length - 1,
          which === "with",
        );
        best[which] = Math.min(best[which], milliseconds);
        logits[which] = found[0].logits;
        if (which === "without") done += length / 2;
      }
      if (!goOn(done, work)) break;
      times.with.set(length, best.with);
      times.without.set(length, best.without);
      logits.with.forEach((logit, i) => {
        off = Math.max(off, Math.abs(logit - logits.without[i]));
      });
      count += 1;
    }
    await update();
    const most = off ? off.toExponential(0).replace("e-", " · 10^−") : "0";
    const stopped = count < lengths.length ? "Stopped. " : "";
    return count
      ? `${stopped}Measured at ${count} lengths. The largest difference of a logit between the two is ${most}.`
      : "Stopped before the first length was measured.";
  }

  // ---- Together ---------------------------------------------------------------------------------------

  /** @type {WriterPage} */
  const page = {
    state,
    times,
    change,
    choose,
    goOn,
    measure,
    running: () => running,
    update: () => update(),
    able: () => Boolean(model),
    missing: () => {
      const wrong = problem(whole());
      const words = wrong
        ? "There is nothing to show yet: see above."
        : "The model itself has to compute this.";
      return element(
        "div",
        {},
        element("p", { className: "explorer-empty" }, words),
        ...(model || wrong ? [] : [loadButton()]),
      );
    },
  };
  const draw = explorerPanels([
    textPanel,
    ...Object.entries(writerPanels).map(([name, panel]) => panel(places[name], page)),
  ]);

  let turns = 0;
  async function update() {
    const turn = ++turns;
    if (!running) keep();
    try {
      const text = whole(),
        rows = problem(text) ? null : await rowsOf(text);
      if (turn !== turns) return; // the reader went on
      const at = state.at === "" ? text.length - 1 : Math.min(state.at, text.length - 1);
      draw({ text, start: state.start.length, rows, at });
    } catch (error) {
      failed(error);
    }
  }

  explorerScheme(update);
  follow(
    () => {
      stop();
      update();
    },
    (named) => {
      if (named("cache")) places.time.scrollIntoView();
      else if (named("layer") || named("head")) places.heads.scrollIntoView();
      else places.text.scrollIntoView();
    },
  );
})();
