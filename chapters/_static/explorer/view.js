// @ts-check
// The page "See it think": what the reader has chosen (the state, which the address keeps), what the
// model makes of it (readings), and the panels that show it. Before the weights are loaded, the
// readings are those of the opening example, which come with the page.
"use strict";

/**
 * What the model made of a sentence, or, without a trace, what the page knows of the opening example.
 * @typedef {Object} ExplorerReading
 * @property {number[]} ids
 * @property {string[]} tokens
 * @property {number[]} order where each token stands in the sentence as it was typed
 * @property {number} cut how many tokens were left out
 * @property {number} unknown how many tokens are [UNK]
 * @property {ExplorerTrace | null} trace
 * @property {number | null} took milliseconds
 * @property {(layer: number, head: number) => ArrayLike<number>} map
 * @property {string[][]} [nearest] of the opening's word
 * @property {number[]} [margins]
 * @property {Record<number, Promise<number[][]>>} [near] by token, what is nearest to it
 */
/**
 * What there is to show. A word is the place of the token that is followed.
 * @typedef {Object} ExplorerNow
 * @property {(ExplorerReading | null)[]} readings of the three sentences, as the model reads them now
 * @property {(ExplorerReading | null)[]} intact as it reads them with nothing broken
 * @property {(ExplorerReading | null)[] | null} inOrder with all broken but the order
 * @property {(number | null)[]} words in the intact readings
 * @property {(number | null)[]} at in the readings
 * @property {Float32Array[] | null} rows of the two poles
 * @property {boolean} able whether the model is there or on its way
 */
(() => {
  const places = explorerPlaces();
  if (!places.sentences) return;

  const { layers: LAYERS, heads: HEADS, hidden: HIDDEN, inner: INNER } = explorerAbout.config;
  // The page knows as many positions as its weights have.
  const LONGEST =
    explorerAbout.places.matrices.find(([name]) => name.includes("position"))?.[1] ?? 0;
  const NAMES = /** @type {const} */ (["a", "b", "c"]);
  const ORDINALS = ["first", "second", "third"];
  const BREAKS = explorerBreaks.names;
  const OPENING = explorerOpening.readings[0].tokens.indexOf(explorerOpening.word);
  const [a, b, c] = explorerOpening.readings.map(({ sentence }) => sentence);
  const START = {
    a,
    b,
    c,
    poles: explorerOpening.poles,
    word: [OPENING],
    shown: 0,
    layer: 0,
    head: 4,
    step: "query",
    broken: /** @type {string[]} */ ([]),
  };

  /** @param {URLSearchParams} found */
  function understood(found) {
    /** @type {(text: string | null, count: number, otherwise: number) => number} */
    const whole = (text, count, otherwise) =>
      /^\d+$/.test(text ?? "") && Number(text) < count ? Number(text) : otherwise;
    const list = (/** @type {string} */ key) => found.get(key)?.split(",");
    const step = found.get("step");
    return {
      a: found.get("a") ?? a,
      b: found.get("b") ?? b,
      c: found.get("c") ?? c,
      poles: START.poles.map((pole, i) => list("poles")?.[i] ?? pole),
      layer: whole(found.get("layer"), LAYERS, START.layer),
      head: whole(found.get("head"), HEADS, START.head),
      shown: whole(found.get("shown"), 2, START.shown),
      word: (list("word") ?? [`${OPENING}`]).map((index) => whole(index, LONGEST, OPENING)),
      step: explorerSteps.find(({ name }) => name === step)?.name ?? START.step,
      broken: (list("broken") ?? []).filter((name) => Object.hasOwn(BREAKS, name)),
    };
  }
  const { state, keep, follow } = explorerState(START, understood);

  // ---- Readings: what the model makes of a sentence --------------------------------------------------

  const { status, progress, say, fail, ...loading } = explorerLoading(
    explorerAbout,
    () => new ExplorerModel(),
  );
  /** @type {ExplorerModel | null} */
  let model = null;
  let asked = false; // whether the reader did something for which the model is needed
  /** @type {Map<string, ExplorerReading>} */
  const cache = new Map();
  const cosine = (/** @type {Float32Array} */ a, /** @type {Float32Array} */ b) =>
    dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));

  async function load() {
    const loaded = await loading.load();
    if (!model) cache.clear();
    model = loaded;
    return loaded;
  }

  /** @type {Map<string, ExplorerReading>} */
  const opened = new Map(
    explorerOpening.readings.map((found) => [
      found.sentence,
      {
        ...found,
        order: found.ids.map((_, i) => i),
        cut: 0,
        unknown: 0,
        took: null,
        trace: null,
        map: (layer, head) => found.maps[layer * HEADS + head],
      },
    ]),
  );

  /**
   * @param {string} text
   * @param {string[]} broken
   * @returns {Promise<ExplorerReading | null>}
   */
  async function read(text, broken) {
    const key = JSON.stringify([
      text,
      broken,
      broken.includes("head") && [state.layer, state.head],
    ]);
    if (!model && !broken.length && opened.has(text)) return opened.get(text) ?? null;
    if (!text || !(model || asked)) return null;
    const known = cache.get(key);
    if (known) return known;
    const removed = broken.includes("head") ? [[state.layer, state.head]] : [];
    const able = await load();
    const all = able.tokenizer.encode(text),
      cut = Math.max(0, all.length - LONGEST);
    const straight = cut ? [...all.slice(0, LONGEST - 1), all[all.length - 1]] : all;
    const names = straight.map((id) => able.tokenizer.tokens[id]);
    const order = broken.includes("order") ? shuffled(names) : straight.map((_, i) => i);
    const ids = order.map((i) => straight[i]);
    const trace = await able.read(ids, {
      scale: !broken.includes("scale"),
      positions: !broken.includes("positions"),
      lookAhead: !broken.includes("ahead"),
      removed,
    });
    /** @type {ExplorerReading} */
    const reading = {
      ids,
      order,
      cut,
      trace,
      took: trace.milliseconds,
      unknown: names.filter((name) => name === "[UNK]").length,
      tokens: order.map((i) => names[i]),
      map: (layer, head) => {
        const size = ids.length ** 2;
        return trace.layers[layer].weights.subarray(head * size, (head + 1) * size);
      },
    };
    if (cache.size > 12) cache.clear(); // a long sentence takes megabytes
    cache.set(key, reading);
    return reading;
  }

  /**
   * The same new order for every sentence of a length; the pieces of a word stay together.
   * @param {string[]} tokens
   */
  function shuffled(tokens) {
    /** @type {number[][]} */
    const groups = [];
    for (let i = 1; i < tokens.length - 1; i++) {
      if (groups.length && tokens[i].startsWith("##")) groups[groups.length - 1].push(i);
      else groups.push([i]);
    }
    for (let i = groups.length - 1, seed = 7; i > 0; i--) {
      seed = (seed * 16807) % 2147483647;
      const j = seed % i; // never i itself, so that every word moves
      [groups[i], groups[j]] = [groups[j], groups[i]];
    }
    return [0, ...groups.flat(), tokens.length - 1];
  }

  /**
   * A token's vector before the first layer and after each.
   * @param {ExplorerTrace} trace
   * @param {number} token
   */
  const states = ({ embeddings, layers }, token) =>
    [embeddings.output, ...layers.map(({ output }) => output)].map((all) =>
      all.subarray(token * HIDDEN, (token + 1) * HIDDEN),
    );

  /**
   * Which token is followed in each sentence: the one that was chosen, or the word of the first.
   * @param {(ExplorerReading | null)[]} readings
   */
  function followed(readings) {
    const [first] = readings;
    const chosen = state.word[0];
    return readings.map((reading, i) => {
      if (!reading) return null;
      const same = first
        ? reading.ids.indexOf(first.ids[Math.min(chosen, first.ids.length - 1)])
        : -1;
      const word = i && same >= 0 ? same : chosen;
      return Math.min(i ? (state.word[i] ?? word) : word, reading.ids.length - 1);
    });
  }

  /**
   * The cosines of the followed word in sentence 0 and in sentence i, before and after each layer.
   * @param {(ExplorerReading | null)[]} readings
   * @param {(number | null)[]} words
   * @param {number} i
   */
  function cosines([first, ...others], [word, ...theirs], i) {
    const [other, its] = [others[i - 1], theirs[i - 1]];
    if (!first || !other || word === null || its === null) return null;
    if (first.trace && other.trace) {
      const vectors = states(other.trace, its);
      return states(first.trace, word).map((vector, layer) => cosine(vector, vectors[layer]));
    }
    const opening =
      NAMES.every((name) => state[name] === START[name]) &&
      [word, ...theirs].every((each) => each === OPENING);
    return opening ? explorerOpening.cosines[i - 1] : null;
  }

  // ---- Panels -----------------------------------------------------------------------------------------

  const loadButton = (/** @type {() => HTMLElement | null} */ next = () => null) =>
    loading.button(() => {
      asked = true;
      return load().then(update, fail);
    }, next);

  const quiet = (/** @type {string} */ text) => element("p", { className: "explorer-empty" }, text);
  const needsModel = (/** @type {string} */ what) => element("div", {}, quiet(what), loadButton());
  const missing = (/** @type {string} */ text, i = state.shown) =>
    model || asked || !state[NAMES[i]]
      ? quiet(text)
      : needsModel("The model itself has to compute this.");

  // Sentences, their tokens, and what was found out about them.
  const inputs = NAMES.map((name, i) => {
    const labels = ["First sentence", "Second sentence", "Third sentence, for comparison"];
    const input = element("input", {
      type: "text",
      name,
      value: state[name],
      dir: "auto",
      autocomplete: "off",
      spellcheck: false,
    });
    const row = element("div", {
      className: "explorer-tokens",
      role: "group",
      "aria-label": `Tokens of the ${ORDINALS[i]} sentence: choose the word to follow`,
    });
    /** @type {number | undefined} */
    let waiting;
    input.addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => {
        asked = true;
        state[name] = input.value.trim();
        state.word = i ? state.word.slice(0, i) : [Math.max(1, state.word[0])];
        update();
      }, 350);
    });
    return { name, input, row, label: element("label", {}, labels[i], input) };
  });
  const first = loadButton(() => inputs[0].row.querySelector("[aria-pressed=true]"));
  const reset = explorerButton("Back to the two flies", () => {
    Object.assign(state, structuredClone(START));
    update();
  });
  const form = element(
    "form",
    { className: "explorer-form" },
    ...inputs.flatMap(({ label, row }) => [label, row]),
  );
  form.addEventListener("submit", (event) => event.preventDefault());
  places.sentences.replaceChildren(
    form,
    element("div", { className: "explorer-actions" }, first, reset),
    progress,
    status,
  );

  /** @type {ExplorerPanel<ExplorerNow>} */
  const sentences = {
    shows: ({ readings, intact, words, able }) => [
      ...[...readings, ...intact, ...words, able, Boolean(model)],
      ...[state.a, state.b, state.c, state.shown],
    ],
    draw({ readings, intact, words }) {
      first.hidden = Boolean(model);
      inputs.forEach(({ name, input, row }, i) => {
        if (document.activeElement !== input && input.value.trim() !== state[name])
          input.value = state[name];
        const reading = intact[i],
          had = [...row.children].indexOf(/** @type {Element} */ (document.activeElement));
        row.replaceChildren(
          ...(reading ? tokenButtons(reading, i, words) : [quiet(nothing(state[name]))]),
        );
        const button = row.children[Math.min(had, row.children.length - 1)];
        if (button instanceof HTMLElement) button.focus();
      });
      const notes = intact.flatMap((reading, i) => (reading ? remarks(reading, ORDINALS[i]) : []));
      say([...notes, done(readings, intact)].join(" "));
    },
  };

  const nothing = (/** @type {string} */ text) =>
    text ? "The model has not read this yet." : "Nothing to read yet: type a sentence.";

  /**
   * @param {ExplorerReading} reading
   * @param {number} i of the sentence
   * @param {(number | null)[]} words
   */
  function tokenButtons(reading, i, words) {
    return reading.tokens.map((token, at) => {
      const button = explorerButton("", () => {
        state.word = i ? words.map((word, j) => (j === i ? at : (word ?? OPENING))) : [at];
        if (i < 2) state.shown = i;
        update();
      });
      button.append(element("span", {}, token), element("small", {}, `${reading.ids[at]}`));
      button.setAttribute("aria-pressed", `${at === words[i]}`);
      return button;
    });
  }

  /**
   * @param {ExplorerReading} reading
   * @param {string} name
   */
  const remarks = ({ cut, unknown, ids }, name) => [
    ...(cut
      ? [
          `The ${name} sentence has ${cut + LONGEST} tokens and this page reads ${LONGEST}: the last ${cut} before [SEP] are left out.`,
        ]
      : []),
    ...(unknown
      ? [
          `${unknown} of the ${ids.length} tokens of the ${name} sentence ${unknown > 1 ? "are" : "is"} [UNK]: the vocabulary, an English one, has no pieces for what is written there.`,
        ]
      : []),
  ];

  /**
   * @param {(ExplorerReading | null)[]} readings
   * @param {(ExplorerReading | null)[]} intact
   */
  function done(readings, intact) {
    if (model) {
      const took = readings[state.shown]?.took;
      const broken = state.broken.length ? "Broken on purpose; see below. " : "";
      return took
        ? `${broken}Read in ${Math.max(1, Math.round(took))} ms, here in your browser.`
        : "";
    }
    return intact.every((reading, i) => reading || !state[NAMES[i]]) && !state.broken.length
      ? "This example was computed when the book was built. Type, and the model itself is loaded and runs here."
      : "For this the model itself has to be loaded.";
  }

  /**
   * How much closer the followed word of sentence i is to the first pole than to the second.
   * @param {(ExplorerReading | null)[]} readings
   * @param {(number | null)[]} at
   * @param {number} i
   * @param {Float32Array[] | null} poles
   */
  function margins(readings, at, i, poles) {
    const reading = readings[i],
      word = at[i];
    if (!reading || word === null) return null;
    if (reading.trace && poles) {
      const [one, other] = poles;
      return states(reading.trace, word).map(
        (vector) => cosine(vector, one) - cosine(vector, other),
      );
    }
    return !reading.trace && word === OPENING && `${state.poles}` === `${START.poles}`
      ? (reading.margins ?? null)
      : null;
  }

  /** @type {{ ids: (number | undefined)[], rows: Float32Array[] }} */
  let knownPoles = { ids: [], rows: [] };
  async function poles() {
    if (!model) return null;
    const { tokenizer } = model;
    const ids = state.poles.map((pole) => tokenizer.ids.get(pole.toLowerCase()));
    if (ids.includes(undefined)) return null;
    if (`${ids}` !== `${knownPoles.ids}`) knownPoles = { ids, rows: await model.rows(ids) };
    return knownPoles.rows;
  }

  // The followed word from layer to layer.
  /** @param {string} name of the numbers */
  function chart(name) {
    const drawing = element("div"),
      table = element("div"),
      folded = element("details", {}, element("summary", {}, `${name} in numbers`), table),
      box = element("div", {}, drawing, folded);
    /**
     * @param {{ short: string, values: number[], kind: string }[]} lines
     * @param {string} caption
     * @param {{ low: number, high: number, step: number }} axis
     */
    function draw(lines, caption, axis) {
      const said = lines.map(
        ({ short, values }) => `${short}: ${values.map((value) => digits(value)).join(", ")}`,
      );
      const label = `${caption}, before the first layer and after each. ${said.join(". ")}.`;
      drawing.replaceChildren(
        element("h3", {}, caption),
        explorerDrawing.lines(lines, label, axis),
      );
      const [frame, body] = numbers(caption, ["layers", ...lines.map(({ short }) => short)]);
      fill(
        body,
        lines[0].values.map((_, layer) => [
          layer ? `after ${layer}` : "before",
          ...lines.map(({ values }) => digits(values[layer])),
        ]),
      );
      table.replaceChildren(frame);
      folded.hidden = false;
    }
    /** @param {Element[]} instead */
    function empty(...instead) {
      drawing.replaceChildren(...instead);
      folded.hidden = true;
    }
    return { box, draw, empty };
  }
  const apart = chart("Cosines"),
    lean = chart("Differences"),
    near = element("div");
  const poleInputs = [0, 1].map((i) => {
    const input = element("input", {
      type: "text",
      dir: "auto",
      autocomplete: "off",
      spellcheck: false,
    });
    input.addEventListener("change", () => {
      asked = true;
      state.poles = state.poles.map((pole, j) => (j === i ? input.value.trim() : pole));
      update();
    });
    return input;
  });
  places.layers.replaceChildren(
    apart.box,
    element(
      "div",
      { className: "explorer-poles" },
      ...poleInputs.map((input, i) => element("label", {}, ["closer to", "than to"][i], input)),
    ),
    lean.box,
    near,
  );

  /**
   * The lines of the readings, and those of the intact ones if something is broken.
   * @param {[string, string][]} kinds what each is called, and its class
   * @param {(now: boolean, i: number) => number[] | null} values
   */
  const lines = (kinds, values) =>
    [true, ...(state.broken.length ? [false] : [])].flatMap((now) =>
      kinds.flatMap(([short, kind], i) => {
        const found = values(now, i);
        if (!found) return [];
        return now
          ? [{ short, kind, values: found }]
          : [{ short: `${short} intact`, kind: `${kind} intact`, values: found }];
      }),
    );

  /** @type {ExplorerPanel<ExplorerNow>} */
  const layers = {
    shows: ({ readings, intact, words, at, rows, able }) => [
      ...[...readings, ...intact, ...words, ...at, rows, able],
      ...[`${state.poles}`, state.a, state.b, state.c],
    ],
    draw({ readings, intact, words, at, rows }) {
      poleInputs.forEach((input, i) => {
        if (document.activeElement !== input) input.value = state.poles[i];
      });
      showNearest(readings, at).catch(fail);
      if (!readings[0]) {
        apart.empty(missing("Type a first sentence above.", 0));
        lean.empty();
        return;
      }
      const pairs = lines(
        [
          ["1st–2nd", "pair"],
          ["1st–3rd", "control"],
        ],
        (now, i) => (now ? cosines(readings, at, i + 1) : cosines(intact, words, i + 1)),
      );
      const lowest = Math.min(0, ...pairs.flatMap(({ values }) => values));
      const axis = { low: Math.floor(4 * lowest) / 4, high: 1, step: 0.25 };
      if (pairs.length) apart.draw(pairs, "Cosine of the word in two sentences", axis);
      else if (readings[1] || readings[2])
        apart.empty(needsModel("The model has to compute these cosines."));
      else apart.empty(quiet("Type a second sentence above."));

      const leaning = lines(
        [
          ["1st", "pair"],
          ["2nd", "second"],
          ["3rd", "control"],
        ],
        (now, i) => (now ? margins(readings, at, i, rows) : margins(intact, words, i, rows)),
      );
      const most = Math.max(0.1, ...leaning.flatMap(({ values }) => values.map(Math.abs)));
      const high = Math.ceil(10 * most) / 10;
      const [one, other] = state.poles.map(isolated);
      if (leaning.length)
        lean.draw(leaning, `Cosine with ${one} minus cosine with ${other}`, {
          low: -high,
          high,
          step: high / 2,
        });
      else lean.empty(model ? quiet(noPole(model)) : needsModel("The model has to compute this."));
    },
  };

  /** @param {ExplorerModel} model */
  function noPole({ tokenizer }) {
    const strangers = state.poles.filter((pole) => !tokenizer.ids.has(pole.toLowerCase()));
    return `${strangers.map(isolated).join(" and ") || "That"} is not a single token of the vocabulary: choose another word.`;
  }

  let asks = 0;
  /**
   * @param {(ExplorerReading | null)[]} readings
   * @param {(number | null)[]} at
   */
  async function showNearest(readings, at) {
    const ask = ++asks;
    const found = await Promise.all(
      [0, 1].map(async (i) => {
        const reading = readings[i],
          word = at[i];
        if (!reading || word === null) return [];
        const closest = reading.trace
          ? await closestTo(reading, word)
          : word === OPENING && reading.nearest;
        const head = `${isolated(reading.tokens[word])}, ${ORDINALS[i]} sentence`;
        return closest ? [{ head, closest }] : [];
      }),
    );
    const shown = found.flat();
    if (ask !== asks) return; // the reader went on
    if (!shown.length) {
      near.replaceChildren();
      return;
    }
    const [table, body] = numbers(
      "The five words of the table that are closest to it, before the first layer and after each",
      ["layers", ...shown.map(({ head }) => head)],
    );
    table.classList.add("words");
    fill(
      body,
      shown[0].closest.map((_, layer) => [
        layer ? `after ${layer}` : "before",
        ...shown.map(({ closest }) => closest[layer].map(isolated).join(", ")),
      ]),
    );
    near.replaceChildren(table);
  }

  /**
   * @param {ExplorerReading} reading
   * @param {number} word
   */
  async function closestTo(reading, word) {
    if (!model || !reading.trace) return null;
    const { tokenizer } = model;
    reading.near ??= {};
    reading.near[word] ??= model.nearest(states(reading.trace, word), 5, reading.ids[word]);
    return (await reading.near[word]).map((row) => row.map((id) => tokenizer.tokens[id]));
  }

  // Seventy-two maps, and one of them large.
  const {
    grid,
    mark,
    draw: drawMaps,
  } = explorerHeads(
    explorerAbout.config,
    state,
    (layer, head) => {
      Object.assign(state, { layer, head });
      update();
    },
    "maps",
  );
  const which = ["first sentence", "second sentence"].map((name, i) => {
    const input = element("input", { type: "radio", name: "shown", value: `${i}` });
    input.addEventListener("change", () => {
      state.shown = i;
      update();
    });
    return { input, label: element("label", { className: "tick" }, input, ` ${name}`) };
  });
  const title = element("h3"),
    frame = element("div", { className: "wide" }),
    pointed = element("p", { className: "explorer-value" }),
    list = element("ul", { className: "explorer-words" }),
    folded = element("details", {}, element("summary", {}, "The same in words"), list),
    large = element("div", {}, title, frame, pointed, folded),
    unread = element("div");
  places.heads.replaceChildren(
    element(
      "fieldset",
      { className: "explorer-which" },
      element("legend", {}, "Maps of the"),
      ...which.map(({ label }) => label),
    ),
    grid,
    large,
    unread,
  );

  /**
   * At which token another looks most, and with which weight.
   * @param {ExplorerReading} reading
   * @param {ArrayLike<number>} map
   * @param {number} token
   * @returns {[string, number]}
   */
  const most = ({ tokens }, map, token) => {
    const row = tokens.map((_, k) => map[token * tokens.length + k]);
    const best = row.indexOf(Math.max(...row));
    return [tokens[best], row[best]];
  };

  /** @type {ExplorerPanel<ExplorerNow>} */
  const maps = {
    shows: ({ readings, at, able }) => [
      ...[readings[state.shown], at[state.shown], state.shown, state[NAMES[state.shown]], able],
    ],
    draw({ readings, at }) {
      which.forEach(({ input }, i) => {
        input.checked = i === state.shown;
      });
      const reading = readings[state.shown],
        word = at[state.shown];
      grid.hidden = large.hidden = !reading;
      unread.replaceChildren();
      if (!reading || word === null) {
        unread.replaceChildren(missing("There is no sentence to look at: type one above."));
        return;
      }
      drawMaps((canvas, layer, head) => {
        const map = reading.map(layer, head),
          [other, weight] = most(reading, map, word);
        explorerDrawing.pixels(canvas, map, reading.tokens.length);
        return `${isolated(reading.tokens[word])} looks most at ${isolated(other)}, ${digits(weight)}`;
      });
    },
  };

  // The table is made once for a sentence; another head brings other numbers.
  const table = { of: "", show: explorerDrawing.map([], { caption: "", tell() {} }).show };
  let tell = (/** @type {number} */ _q, /** @type {number} */ _k) => {};

  /** @type {ExplorerPanel<ExplorerNow>} */
  const oneMap = {
    shows: ({ readings, at }) => [
      ...[readings[state.shown], at[state.shown], state.layer, state.head, `${state.broken}`],
    ],
    draw({ readings, at }) {
      mark();
      const reading = readings[state.shown],
        word = at[state.shown];
      if (!reading || word === null) return;
      const map = reading.map(state.layer, state.head),
        { tokens } = reading;
      const broken = state.broken.map((name) => `, ${BREAKS[name].split(":")[0]}`).join("");
      title.textContent = `Layer ${state.layer}, head ${state.head}${broken}`;
      tell = (q, k) => {
        pointed.textContent = `${isolated(tokens[q])} → ${isolated(tokens[k])}: ${digits(map[q * tokens.length + k])}`;
      };
      if (table.of !== JSON.stringify(tokens)) {
        const made = explorerDrawing.map(tokens, {
          caption: "rows look at columns",
          tell: (q, k) => tell(q, k),
        });
        const had = frame.contains(document.activeElement);
        frame.replaceChildren(made.table);
        Object.assign(table, { of: JSON.stringify(tokens), show: made.show });
        table.show(map, word);
        if (had) made.table.querySelector("td")?.focus();
      } else table.show(map, word);
      tell(word, tokens.indexOf(most(reading, map, word)[0]));
      list.replaceChildren(
        ...tokens.map((token, q) => {
          const [other, weight] = most(reading, map, q);
          const words = `${isolated(token)} looks most at ${isolated(other)} (${digits(weight)})`;
          return element("li", {}, words);
        }),
      );
    },
  };

  // Step by step.
  const chooser = /** @type {const} */ (["token", "layer", "head"]).map((name) => {
    const count = { token: 0, layer: LAYERS, head: HEADS }[name];
    const options = Array.from({ length: count }, (_, i) =>
      element("option", { value: `${i}` }, `${i}`),
    );
    const select = element("select", { name }, ...options);
    select.addEventListener("change", () => {
      const value = Number(select.value);
      if (name === "token") state.word = state.shown ? [state.word[0], value] : [value];
      else state[name] = value;
      update();
    });
    return { name, select, label: element("label", {}, `${name} `, select) };
  });
  const names = explorerSteps.map(({ name, title }) =>
    explorerButton(title, () => go(name, state.layer)),
  );
  const back = explorerButton("← back", () => walk(-1)),
    on = explorerButton("next →", () => walk(1));
  const path = element(
    "ol",
    { className: "explorer-path" },
    ...names.map((button) => element("li", {}, button)),
  );
  const detail = element("div", { className: "explorer-detail" });
  /**
   * @param {string} step
   * @param {number} layer
   */
  function go(step, layer) {
    Object.assign(state, { step, layer });
    update();
  }
  /** @param {number} by */
  function walk(by) {
    const last = explorerSteps.length - 1,
      i = explorerSteps.findIndex(({ name }) => name === state.step) + by;
    if (i < 0 && state.layer > 0) go(explorerSteps[last].name, state.layer - 1);
    else if (i > last && state.layer < LAYERS - 1)
      go(explorerSteps[1].name, state.layer + 1); // what comes in is known
    else if (i >= 0 && i <= last) go(explorerSteps[i].name, state.layer);
  }
  places.steps.replaceChildren(
    element("div", { className: "explorer-choice" }, ...chooser.map(({ label }) => label)),
    path,
    element("div", { className: "explorer-actions" }, back, on),
    detail,
  );
  places.steps.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const target = /** @type {HTMLElement} */ (event.target);
    if (!by || target.matches("select, [role=slider], .wide")) return;
    event.preventDefault();
    walk(by);
    if (path.contains(target))
      names[explorerSteps.findIndex(({ name }) => name === state.step)].focus();
  });

  /** @type {ExplorerPanel<ExplorerNow>} */
  const steps = {
    shows: ({ readings, at, able }) => [
      ...[readings[state.shown], at[state.shown], state.shown, state[NAMES[state.shown]], able],
      ...[state.layer, state.head, state.step, `${state.broken}`],
    ],
    draw({ readings, at }) {
      const i = explorerSteps.findIndex(({ name }) => name === state.step),
        step = explorerSteps[i];
      names.forEach((button, j) => {
        if (i === j) button.setAttribute("aria-current", "step");
        else button.removeAttribute("aria-current");
        button.tabIndex = i === j ? 0 : -1;
      });
      switchOff(back, i === 0 && state.layer === 0);
      switchOff(on, i === explorerSteps.length - 1 && state.layer === LAYERS - 1);
      const reading = readings[state.shown],
        token = at[state.shown];
      for (const { name, select } of chooser) {
        if (name === "token")
          select.replaceChildren(
            ...(reading?.tokens ?? []).map((each, j) => element("option", { value: `${j}` }, each)),
          );
        select.value = `${(name === "token" ? token : state[name]) ?? ""}`;
      }
      if (!reading || token === null) detail.replaceChildren(missing("Type a sentence above."));
      else if (!reading.trace)
        detail.replaceChildren(needsModel("These numbers are computed by the model itself."));
      else {
        const given = {
          trace: reading.trace,
          now: reading.trace.layers[state.layer],
          tokens: reading.tokens,
          token,
          layer: state.layer,
          head: state.head,
          hidden: HIDDEN,
          inner: INNER,
          size: HIDDEN / HEADS,
          first: state.layer === 0,
          last: state.layer === LAYERS - 1,
          switches: {
            scale: !state.broken.includes("scale"),
            lookAhead: !state.broken.includes("ahead"),
          },
          silent: state.broken.includes("head"),
        };
        const about = `${isolated(reading.tokens[token])}, layer ${state.layer}, head ${state.head}`;
        detail.replaceChildren(
          element("h3", {}, `${step.title}: ${about}`),
          element("p", {}, step.says(given)),
          ...step.shows(given),
        );
      }
    },
  };

  const breaks = explorerBreaks.panel(places.breaks, {
    state,
    cosine,
    cosines,
    states,
    most,
    missing,
    quiet,
    choose: (name, broken) => {
      asked = true;
      state.broken = Object.keys(BREAKS).filter((each) =>
        each === name ? broken : state.broken.includes(each),
      );
      update();
    },
  });

  // ---- Together ---------------------------------------------------------------------------------------

  const draw = explorerPanels([sentences, maps, oneMap, layers, steps, breaks]);
  let turns = 0;
  async function update() {
    const turn = ++turns;
    keep();
    try {
      const all = (/** @type {string[]} */ broken) =>
        Promise.all(NAMES.map((name) => read(state[name], broken)));
      const intact = await all([]);
      const readings = state.broken.length ? await all(state.broken) : intact;
      const others = state.broken.filter((name) => name !== "order");
      const inOrder =
        others.length < state.broken.length && others.length ? await all(others) : null;
      const rows = await poles();
      if (turn !== turns) return; // the reader went on
      const words = followed(intact);
      const at = readings.map((reading, i) => {
        const word = words[i];
        return reading && word !== null ? reading.order.indexOf(word) : null;
      });
      draw({ readings, intact, inOrder, words, at, rows, able: Boolean(model) || asked });
    } catch (error) {
      fail(error);
    }
  }

  explorerScheme(update);
  follow(update, (named) => {
    if (named("broken")) places.breaks.scrollIntoView();
    else if (named("step")) places.steps.scrollIntoView();
    else if (named("layer") || named("head")) places.heads.scrollIntoView();
    else places.sentences.scrollIntoView();
  });
})();
