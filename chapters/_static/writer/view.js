// The page "Watch it write": the text and the settings (the state, which the address keeps), and what
// the model makes of the text. Before the weights are loaded that is known for the opening example,
// which comes with the page. The panels are in panels.js.
"use strict";

(() => {
  const places = Object.fromEntries(
    [...document.querySelectorAll("[data-explorer]")].map((place) => [
      place.dataset.explorer,
      place,
    ]),
  );
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
    at: "", // the place that is looked at; none is the last one
    temperature: 1,
    k: VOCABULARY,
    p: 1,
    seed: 1,
    layer: 0,
    head: 0,
    cache: "on",
  };
  const state = { ...START };

  // ---- The address keeps the state: #start=My+l;temperature=0.5 ---------------------------------------

  function readAddress() {
    const found = new URLSearchParams(location.hash.slice(1).replaceAll(";", "&"));
    if (![...found.keys()].some((key) => key in START)) return false;
    const number = (key, low, high, whole = true) => {
      const value = Number(found.get(key) ?? NaN);
      return value >= low && value <= high && (!whole || Number.isInteger(value))
        ? value
        : START[key];
    };
    Object.assign(state, START, {
      start: found.get("start") ?? START.start,
      written: found.get("written") ?? "",
      at: found.get("at") ? number("at", 0, POSITIONS) : "",
      temperature: number("temperature", 0, 3, false),
      k: number("k", 1, VOCABULARY),
      p: number("p", 0.05, 1, false),
      seed: number("seed", 0, 999999),
      layer: number("layer", 0, LAYERS - 1),
      head: number("head", 0, HEADS - 1),
      cache: found.get("cache") === "off" ? "off" : "on",
    });
    return true;
  }

  function writeAddress() {
    const changed = Object.keys(START).filter((key) => `${state[key]}` !== `${START[key]}`);
    const address = new URLSearchParams(changed.map((key) => [key, `${state[key]}`]))
      .toString()
      .replaceAll("&", ";");
    if (`#${address}` !== location.hash && (address || location.hash.includes("="))) {
      history.replaceState(null, "", address ? `#${address}` : location.pathname + location.search);
    }
  }

  // ---- What the model makes of the text ---------------------------------------------------------------

  const { status, progress, say, fail, ...loading } = explorerLoading(
    writerAbout,
    () => new WriterModel(),
  );
  let model = null,
    running = false;
  const opening = { text: writerOpening.text, rows: writerOpening.rows };
  let known = opening; // a text and, for each of its positions, what WriterDecoder found
  const times = { with: new Map(), without: new Map() }; // milliseconds by length of the text

  const whole = () => state.start + state.written;
  const ids = (text) => Array.from(text, (character) => IDS.get(character));

  async function load() {
    const loaded = await loading.load();
    if (model) return;
    model = loaded;
    known = { text: "", rows: [] };
  }

  // Why a text cannot be read, in a sentence.
  function problem(text) {
    const unknown = [...new Set(text)].filter((character) => !IDS.has(character));
    if (!text) return "There is nothing to go on from: type at least one character.";
    if (unknown.length) {
      return (
        `The model has never seen ${unknown
          .slice(0, 8)
          .map((character) => `“${character}”`)
          .join(", ")}. ` +
        `Its ${VOCABULARY} characters are the new line, the space and ${CHARACTERS.filter((character) => character > " ").join("")}`
      );
    }
    if (text.length > POSITIONS)
      return `The text has ${text.length} characters, and the model knows ${POSITIONS} positions: shorten it.`;
    return "";
  }

  async function rowsOf(text) {
    const base = model ? known : opening;
    let same = 0;
    while (same < text.length && same < base.rows.length && text[same] === base.text[same]) same++;
    let rows = base.rows.slice(0, same);
    if (same < text.length) {
      if (!model) return null;
      const { found, milliseconds } = await model.read(ids(text), same, state.cache === "on");
      if (found.length === 1)
        times[state.cache === "on" ? "with" : "without"].set(text.length, milliseconds);
      rows = [...rows, ...found];
    }
    if (model) known = { text, rows };
    return rows;
  }

  // ---- The text and its buttons -----------------------------------------------------------------------

  const button = (words, act) => {
    const made = element("button", { type: "button" }, words);
    made.addEventListener("click", act);
    return made;
  };
  const loadButton = () => loading.button(() => load().then(update, failed));

  function failed(error) {
    running = false;
    fail(error);
  }

  const first = loadButton();
  const one = button("Write one character", () =>
    load()
      .then(() => step())
      .catch(failed),
  );
  const run = button("Write on", () => (running ? stop() : load().then(writeOn).catch(failed)));
  const again = button("Back to the beginning", () => change({ written: "", at: "" }));
  const cached = checkbox("cache", "with the cache", true);
  cached.firstChild.addEventListener("change", ({ target }) =>
    change({ cache: target.checked ? "on" : "off" }),
  );
  const input = element("textarea", { rows: 2, spellcheck: false, autocomplete: "off" });
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
  const follow = element(
    "label",
    { className: "writer-place" },
    "place in the text ",
    where,
    slide,
  );
  places.text.replaceChildren(
    element("label", { className: "writer-start" }, "Beginning", input),
    element("div", { className: "explorer-actions" }, first, one, run, again, cached),
    progress,
    status,
    shown,
    heard,
    follow,
  );

  function drawText({ text, start, rows, at }) {
    if (document.activeElement !== input && input.value !== state.start) input.value = state.start;
    const wrong = problem(text),
      full = text.length >= POSITIONS;
    first.hidden = Boolean(model);
    one.disabled = run.disabled = Boolean(wrong) || full;
    one.disabled ||= running;
    run.textContent = running ? "Stop" : "Write on";
    again.disabled = !state.written;
    cached.firstChild.checked = state.cache === "on";
    follow.hidden = !rows;
    writerDrawing.text(shown, text, { start, at: rows ? at : -1 });
    slide.max = text.length;
    slide.value = at + 1;
    where.textContent = `${at + 1} of ${text.length}, ${text ? writerDrawing.visible(text[at]) : ""}`;
    slide.setAttribute(
      "aria-valuetext",
      `${at + 1} of ${text.length}: ${text ? writerDrawing.spoken(text[at]) : ""}`,
    );
    if (running) {
      say("Writing …");
      return;
    }
    heard.textContent = `The text: ${text}`;
    const latest = times[state.cache === "on" ? "with" : "without"].get(text.length);
    const took =
      latest === undefined
        ? ""
        : ` The last character took ${digits(latest, 1)} ms ${state.cache === "on" ? "with" : "without"} the cache.`;
    say(
      wrong ||
        (full
          ? `The text fills all ${POSITIONS} positions that the model knows. Choose another character further up, or go back to the beginning.`
          : !rows
            ? "The model has not read this yet: load it."
            : !model
              ? "This beginning was read when the book was built. To write, the model itself is loaded and runs here."
              : `${text.length} characters, ${state.written.length} of them written here.${took}`),
    );
  }

  // ---- What a reader can do ---------------------------------------------------------------------------

  function change(changes) {
    Object.assign(state, changes);
    return update();
  }

  const choose = (at) => change({ at: at === whole().length - 1 ? "" : at });

  // Keep the text up to a place, and go on with a character.
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
    if (whole() !== text) return; // the reader was faster
    const found = writerChoosing.distribution(rows.at(-1).logits, state);
    state.written +=
      CHARACTERS[writerChoosing.draw(found, writerChoosing.random(state.seed, text.length))];
    state.at = "";
    if (drawn) await update();
  }

  async function writeOn() {
    const every = matchMedia("(prefers-reduced-motion: reduce)").matches ? 25 : 1;
    running = true;
    for (let i = 1; running && whole().length < POSITIONS; i++) {
      await step(i % every === 0);
      await new Promise(requestAnimationFrame);
    }
    stop();
  }

  function stop() {
    if (!running) return;
    running = false;
    update();
  }

  // Read one more character at eight lengths of the text, with the cache and without it.
  async function measure() {
    const text = whole(),
      all = ids(text),
      lengths = new Set();
    for (let i = 1; i <= 8; i++) lengths.add(Math.max(2, Math.round((text.length * i) / 8)));
    if (text.length < 16) return "Write a longer text first: at least 16 characters.";
    let off = 0;
    for (const length of lengths) {
      const logits = {},
        best = { with: Infinity, without: Infinity };
      for (const which of ["without", "with", "without", "with"]) {
        // the better of two
        const { found, milliseconds } = await model.read(
          all.slice(0, length),
          length - 1,
          which === "with",
        );
        best[which] = Math.min(best[which], milliseconds);
        logits[which] = found[0].logits;
      }
      for (const which of ["with", "without"]) times[which].set(length, best[which]);
      off = Math.max(off, ...logits.with.map((logit, i) => Math.abs(logit - logits.without[i])));
    }
    await update();
    const most = off ? off.toExponential(0).replace("e-", " · 10^−") : "0";
    return `Measured at ${lengths.size} lengths. The largest difference of a logit between the two is ${most}.`;
  }

  // ---- Together ---------------------------------------------------------------------------------------

  const page = {
    state,
    times,
    change,
    choose,
    goOn,
    measure,
    running: () => running,
    update: () => update(),
    missing: () =>
      element(
        "div",
        {},
        element(
          "p",
          { className: "explorer-empty" },
          problem(whole())
            ? "There is nothing to show yet: see above."
            : "The model itself has to compute this.",
        ),
        ...(model || problem(whole()) ? [] : [loadButton()]),
      ),
  };
  const draw = { text: drawText };
  for (const [name, panel] of Object.entries(writerPanels)) draw[name] = panel(places[name], page);

  let turns = 0;
  async function update() {
    const turn = ++turns;
    if (!running) writeAddress();
    try {
      const text = whole(),
        rows = problem(text) ? null : await rowsOf(text);
      if (turn !== turns) return; // the reader went on
      const at = state.at === "" ? text.length - 1 : Math.min(state.at, text.length - 1);
      for (const show of Object.values(draw)) show({ text, start: state.start.length, rows, at });
    } catch (error) {
      failed(error);
    }
  }

  // The pictures are painted in the scheme's own colours.
  new MutationObserver(update).observe(document.documentElement, {
    attributeFilter: ["data-theme"],
  });
  // What the address is about: the first of these panels that it names.
  const subject = {
    cache: "time",
    layer: "heads",
    head: "heads",
    temperature: "next",
    k: "next",
    p: "next",
  };
  const arrive = () => {
    const found = Object.keys(subject).find((key) => location.hash.includes(`${key}=`));
    places[subject[found] ?? "text"].scrollIntoView();
  };
  window.addEventListener("hashchange", () => {
    if (!readAddress()) return;
    stop();
    update();
    arrive();
  });
  if (readAddress()) window.addEventListener("load", () => setTimeout(arrive)); // after the browser's own scrolling
  update();
})();
