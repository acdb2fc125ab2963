// The page "See it think": what the reader has chosen (the state, which the address keeps), what the
// model makes of it (readings), and the panels that show it. Before the weights are loaded, the
// readings are those of the opening example, which come with the page.
"use strict";

(() => {
  const places = Object.fromEntries(
    [...document.querySelectorAll("[data-explorer]")].map((place) => [
      place.dataset.explorer,
      place,
    ]),
  );
  if (!places.sentences) return;

  const { layers: LAYERS, heads: HEADS, hidden: HIDDEN, inner: INNER } = explorerAbout.config;
  const LONGEST = explorerAbout.places.matrices.find(([name]) => name.includes("position"))[1];
  const NAMES = ["a", "b", "c"];
  const BREAKS = explorerBreaks.names;
  const OPENING = explorerOpening.readings[0].tokens.indexOf(explorerOpening.word);
  const START = {
    ...Object.fromEntries(NAMES.map((name, i) => [name, explorerOpening.readings[i].sentence])),
    poles: explorerOpening.poles,
    word: [OPENING],
    shown: 0,
    layer: 0,
    head: 4,
    step: "query",
    broken: [],
  };
  const state = structuredClone(START);

  // ---- The address keeps the state: #layer=0;head=4;a=time+flies -----------------------------------

  function readAddress() {
    const found = new URLSearchParams(location.hash.slice(1).replaceAll(";", "&"));
    if (![...found.keys()].some((key) => key in START)) return false;
    Object.assign(state, structuredClone(START));
    const whole = (text, count, otherwise) =>
      /^\d+$/.test(text ?? "") && Number(text) < count ? Number(text) : otherwise;
    for (const name of NAMES) state[name] = found.get(name) ?? state[name];
    state.poles = (found.get("poles") ?? `${START.poles}`).split(",").slice(0, 2);
    state.layer = whole(found.get("layer"), LAYERS, START.layer);
    state.head = whole(found.get("head"), HEADS, START.head);
    state.shown = whole(found.get("shown"), 2, START.shown);
    state.word = (found.get("word") ?? `${START.word}`)
      .split(",")
      .map((index) => whole(index, LONGEST, OPENING));
    state.step = explorerSteps.some(({ name }) => name === found.get("step"))
      ? found.get("step")
      : START.step;
    state.broken = (found.get("broken") ?? "").split(",").filter((name) => name in BREAKS);
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

  // ---- Readings: what the model makes of a sentence --------------------------------------------------

  const { status, progress, say, fail, ...loading } = explorerLoading(
    explorerAbout,
    () => new ExplorerModel(),
  );
  let model = null;
  let asked = false; // whether the reader did something for which the model is needed
  const cache = new Map();
  const cosine = (a, b) => dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));

  async function load() {
    const loaded = await loading.load();
    if (model) return;
    model = loaded;
    cache.clear();
  }

  function opened(text) {
    const found = explorerOpening.readings.find(({ sentence }) => sentence === text);
    return (
      found && {
        ...found,
        order: found.ids.map((_, i) => i),
        cut: 0,
        unknown: 0,
        took: null,
        trace: null,
        map: (layer, head) => found.maps[layer * HEADS + head],
      }
    );
  }

  async function read(text, broken) {
    const key = JSON.stringify([
      text,
      broken,
      broken.includes("head") && [state.layer, state.head],
    ]);
    if (!model && !broken.length && opened(text)) return opened(text);
    if (!text || !(model || asked)) return null;
    if (cache.has(key)) return cache.get(key);
    const removed = broken.includes("head") ? [[state.layer, state.head]] : [];
    await load();
    const all = model.tokenizer.encode(text),
      cut = Math.max(0, all.length - LONGEST);
    const straight = cut ? [...all.slice(0, LONGEST - 1), all.at(-1)] : all;
    const order = broken.includes("order") ? shuffled(straight) : straight.map((_, i) => i);
    const ids = order.map((i) => straight[i]);
    const trace = await model.read(ids, {
      scale: !broken.includes("scale"),
      positions: !broken.includes("positions"),
      lookAhead: !broken.includes("ahead"),
      removed,
    });
    const reading = {
      ids,
      order,
      cut,
      trace,
      took: trace.milliseconds,
      unknown: ids.filter((id) => model.tokenizer.tokens[id] === "[UNK]").length,
      tokens: ids.map((id) => model.tokenizer.tokens[id]),
      map: (layer, head) => {
        const size = ids.length ** 2;
        return trace.layers[layer].weights.subarray(head * size, (head + 1) * size);
      },
    };
    if (cache.size > 12) cache.clear(); // a long sentence takes megabytes
    cache.set(key, reading);
    return reading;
  }

  // The same new order for every sentence of a length; the pieces of a word stay together.
  function shuffled(ids) {
    const groups = [];
    for (let i = 1; i < ids.length - 1; i++) {
      if (groups.length && model.tokenizer.tokens[ids[i]].startsWith("##")) groups.at(-1).push(i);
      else groups.push([i]);
    }
    for (let i = groups.length - 1, seed = 7; i > 0; i--) {
      seed = (seed * 16807) % 2147483647;
      const j = seed % i; // never i itself, so that every word moves
      [groups[i], groups[j]] = [groups[j], groups[i]];
    }
    return [0, ...groups.flat(), ids.length - 1];
  }

  // A token's vector before the first layer and after each.
  const states = ({ trace }, token) =>
    [trace.embeddings.output, ...trace.layers.map(({ output }) => output)].map((all) =>
      all.subarray(token * HIDDEN, (token + 1) * HIDDEN),
    );

  // Which token is followed in each sentence: the one that was chosen, or the same word.
  function followed(readings) {
    const [first] = readings;
    if (!first) return [];
    const word = Math.min(state.word[0], first.tokens.length - 1);
    return readings.map((reading, i) => {
      if (!reading) return null;
      if (i === 0) return word;
      const same = reading.ids.indexOf(first.ids[word]);
      const chosen = state.word[i] ?? (same < 0 ? word : same);
      return Math.min(chosen, reading.ids.length - 1);
    });
  }

  // The cosines of the followed word in sentence 0 and in sentence i, before and after each layer.
  function cosines(readings, words, i) {
    if (!readings[0] || !readings[i]) return null;
    if (readings[0].trace && readings[i].trace) {
      const others = states(readings[i], words[i]);
      return states(readings[0], words[0]).map((vector, layer) => cosine(vector, others[layer]));
    }
    const opening =
      NAMES.every((name) => state[name] === START[name]) && words.every((word) => word === OPENING);
    return opening ? explorerOpening.cosines[i - 1] : null;
  }

  // ---- Panels -----------------------------------------------------------------------------------------

  const panels = {};

  const loadButton = () =>
    loading.button(() => {
      asked = true;
      load().then(update, fail);
    });

  const quiet = (text) => element("p", { className: "explorer-empty" }, text);
  const needsModel = (what) => element("div", {}, quiet(what), loadButton());
  const missing = (text) =>
    model || asked || !state.a ? quiet(text) : needsModel("The model itself has to compute this.");

  // Sentences, their tokens, and what was found out about them.
  const inputs = NAMES.map((name, i) => {
    const labels = [
      "First sentence",
      "Second sentence",
      "For comparison: the word as in the first sentence",
    ];
    const input = element("input", {
      type: "text",
      name,
      value: state[name],
      autocomplete: "off",
      spellcheck: false,
    });
    const row = element("div", { className: "explorer-tokens" });
    row.setAttribute("role", "group");
    row.setAttribute(
      "aria-label",
      `Tokens of the ${["first", "second", "third"][i]} sentence: choose the word to follow`,
    );
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
    return { input, row, label: element("label", {}, labels[i], input) };
  });
  const first = loadButton();
  const reset = element("button", { type: "button" }, "Back to the two flies");
  reset.addEventListener("click", () => {
    Object.assign(state, structuredClone(START));
    update();
  });
  places.sentences.replaceChildren(
    element(
      "form",
      { className: "explorer-form" },
      ...inputs.flatMap(({ label, row }) => [label, row]),
    ),
    element("div", { className: "explorer-actions" }, first, reset),
    progress,
    status,
  );
  places.sentences
    .querySelector("form")
    .addEventListener("submit", (event) => event.preventDefault());

  panels.sentences = ({ intact, words }) => {
    first.hidden = Boolean(model);
    inputs.forEach(({ input, row }, i) => {
      if (document.activeElement !== input && input.value.trim() !== state[NAMES[i]])
        input.value = state[NAMES[i]];
      const reading = intact[i],
        had = [...row.children].indexOf(document.activeElement);
      row.replaceChildren(
        ...(reading
          ? reading.tokens.map((token, at) => {
              const button = element(
                "button",
                { type: "button" },
                element("span", {}, token),
                element("small", {}, `${reading.ids[at]}`),
              );
              button.setAttribute("aria-pressed", at === words[i]);
              button.addEventListener("click", () => {
                state.word = i ? words.map((word, j) => (j === i ? at : word)) : [at];
                if (i < 2) state.shown = i;
                update();
              });
              return button;
            })
          : [
              quiet(
                state[NAMES[i]]
                  ? "The model has not read this yet."
                  : "Nothing to read yet: type a sentence.",
              ),
            ]),
      );
      if (had >= 0) row.children[Math.min(had, row.children.length - 1)].focus();
    });
    const notes = intact
      .flatMap((reading, i) => {
        const name = ["first", "second", "third"][i];
        if (!reading) return [];
        return [
          reading.cut
            ? `The ${name} sentence has ${reading.cut + LONGEST} tokens and this page reads ${LONGEST}: the last ${reading.cut} before [SEP] are left out.`
            : "",
          reading.unknown
            ? `${reading.unknown} of the ${reading.ids.length} tokens of the ${name} sentence ${reading.unknown > 1 ? "are" : "is"} [UNK]: the vocabulary, an English one, has no pieces for what is written there.`
            : "",
        ];
      })
      .filter(Boolean);
    const took = intact[state.shown]?.took;
    const done = model
      ? `${state.broken.length ? "Broken on purpose; see below. " : ""}Read in ${took ? Math.round(took) : 0} ms, here in your browser.`
      : intact.every((reading, i) => reading || !state[NAMES[i]]) && !state.broken.length
        ? "This example was computed when the book was built. Type, and the model itself is loaded and runs here."
        : "For this the model itself has to be loaded.";
    say([...notes, done].join(" "));
  };

  // How much closer the followed word of sentence i is to the first pole than to the second.
  function margins(readings, at, i, poles) {
    const reading = readings[i];
    if (!reading) return null;
    if (reading.trace && poles) {
      return states(reading, at[i]).map(
        (vector) => cosine(vector, poles[0]) - cosine(vector, poles[1]),
      );
    }
    return !reading.trace && at[i] === OPENING && `${state.poles}` === `${START.poles}`
      ? reading.margins
      : null;
  }

  let knownPoles = { ids: [], rows: [] };
  async function poles() {
    if (!model) return null;
    const ids = state.poles.map((pole) => model.tokenizer.ids.get(pole.toLowerCase()));
    if (ids.includes(undefined)) return null;
    if (`${ids}` !== `${knownPoles.ids}`) knownPoles = { ids, rows: await model.rows(ids) };
    return knownPoles.rows;
  }

  // The followed word from layer to layer.
  const apart = element("div"),
    lean = element("div"),
    near = element("div");
  const poleInputs = [0, 1].map((i) => {
    const input = element("input", { type: "text", autocomplete: "off", spellcheck: false });
    input.addEventListener("change", () => {
      asked = true;
      state.poles = state.poles.map((pole, j) => (j === i ? input.value.trim() : pole));
      update();
    });
    return element("label", {}, ["closer to", "than to"][i], input);
  });
  places.layers.replaceChildren(
    apart,
    element("div", { className: "explorer-poles" }, ...poleInputs),
    lean,
    near,
  );

  function drawLines(place, lines, caption, short, axis) {
    const label = `${caption}, before the first layer and after each. ${lines.map(({ short, values }) => `${short}: ${values.map((value) => digits(value)).join(", ")}`).join(". ")}.`;
    const [table, body] = numbers(`${short} in numbers`, [
      "sentences",
      "before",
      ...Array.from({ length: LAYERS }, (_, i) => `after ${i + 1}`),
    ]);
    fill(
      body,
      lines.map(({ short, values }) => [short, ...values.map((value) => digits(value))]),
    );
    place.replaceChildren(
      element("h3", {}, caption),
      explorerDrawing.lines(lines, label, axis),
      table,
    );
  }

  const twice = (draw) =>
    [...draw(true), ...(state.broken.length ? draw(false) : [])].filter(({ values }) => values);
  const mark = (now, short, kind) =>
    now ? { short, kind } : { short: `${short} intact`, kind: `${kind} intact` };

  panels.layers = ({ readings, intact, words, at, rows }) => {
    poleInputs.forEach((label, i) => {
      const input = label.querySelector("input");
      if (document.activeElement !== input) input.value = state.poles[i];
    });
    if (!readings[0]) {
      apart.replaceChildren(missing("Type a first sentence above."));
      lean.replaceChildren();
      near.replaceChildren();
      return;
    }
    const pairs = twice((now) =>
      [
        ["1st–2nd", "pair", 1],
        ["1st–3rd", "control", 2],
      ].map(([short, kind, i]) => ({
        ...mark(now, short, kind),
        values: now ? cosines(readings, at, i) : cosines(intact, words, i),
      })),
    );
    const low = Math.floor(4 * Math.min(0, ...pairs.flatMap(({ values }) => values))) / 4;
    if (pairs.length)
      drawLines(apart, pairs, "Cosine of the word in two sentences", "Cosines", {
        low,
        high: 1,
        step: 0.25,
      });
    else
      apart.replaceChildren(
        readings[1] || readings[2]
          ? needsModel("The model has to compute these cosines.")
          : quiet("Type a second sentence above."),
      );
    const leaning = twice((now) =>
      [
        ["1st", "pair"],
        ["2nd", "second"],
        ["3rd", "control"],
      ].map(([short, kind], i) => ({
        ...mark(now, short, kind),
        values: now ? margins(readings, at, i, rows) : margins(intact, words, i, rows),
      })),
    );
    const reach =
      Math.ceil(10 * Math.max(0.1, ...leaning.flatMap(({ values }) => values.map(Math.abs)))) / 10;
    const [one, other] = state.poles;
    if (leaning.length)
      drawLines(lean, leaning, `Cosine with ${one} minus cosine with ${other}`, "Differences", {
        low: -reach,
        high: reach,
        step: reach / 2,
      });
    else
      lean.replaceChildren(
        model
          ? quiet(
              `${state.poles.filter((pole) => !model.tokenizer.ids.has(pole.toLowerCase())).join(" and ") || "That"} is not a single token of the vocabulary: choose another word.`,
            )
          : needsModel("The model has to compute this."),
      );
    showNearest(near, readings, at).catch(fail);
  };

  async function showNearest(place, readings, at) {
    const found = await Promise.all(
      [0, 1].map(async (i) => {
        const reading = readings[i];
        if (!reading) return null;
        if (!reading.trace) return at[i] === OPENING && reading.nearest ? reading.nearest : null;
        reading.near ??= {};
        const ids = await (reading.near[at[i]] ??= model.nearest(
          states(reading, at[i]),
          5,
          reading.ids[at[i]],
        ));
        return ids.map((row) => row.map((id) => model.tokenizer.tokens[id]));
      }),
    );
    if (!found.some(Boolean)) return;
    const shown = [0, 1].filter((i) => found[i]);
    const heads = shown.map(
      (i) => `${readings[i].tokens[at[i]]}, ${["first", "second"][i]} sentence`,
    );
    const [table, body] = numbers(
      "The five words of the table that are closest to it, before the first layer and after each",
      ["layers", ...heads],
    );
    fill(
      body,
      found[shown[0]].map((_, layer) => [
        layer ? `after ${layer}` : "before",
        ...shown.map((i) => found[i][layer].join(", ")),
      ]),
    );
    place.replaceChildren(table);
  }

  // Seventy-two maps, and one of them large.
  const grid = element("div", { className: "explorer-grid" });
  const buttons = Array.from({ length: LAYERS }, (_, layer) => {
    const row = Array.from({ length: HEADS }, (_, head) => {
      const button = element("button", { type: "button" }, element("canvas"));
      button.addEventListener("click", () => choose(layer, head));
      return button;
    });
    const group = element("div", {}, element("span", { ariaHidden: "true" }, `${layer}`), ...row);
    group.setAttribute("role", "group");
    group.setAttribute("aria-label", `Layer ${layer}`);
    grid.append(group);
    return row;
  });
  function choose(layer, head) {
    Object.assign(state, { layer, head });
    update();
  }
  grid.addEventListener("keydown", (event) => {
    const move = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[
      event.key
    ];
    if (!move) return;
    event.preventDefault();
    choose((state.layer + move[0] + LAYERS) % LAYERS, (state.head + move[1] + HEADS) % HEADS);
    buttons[state.layer][state.head].focus();
  });
  const which = ["first sentence", "second sentence"].map((name, i) => {
    const input = element("input", { type: "radio", name: "shown", value: `${i}` });
    input.addEventListener("change", () => {
      state.shown = i;
      update();
    });
    return element("label", { className: "tick" }, input, ` ${name}`);
  });
  const large = element("div");
  places.heads.replaceChildren(
    element(
      "fieldset",
      { className: "explorer-which" },
      element("legend", {}, "Maps of the"),
      ...which,
    ),
    grid,
    large,
  );

  const most = (reading, map, token) => {
    const row = Array.from(
      map.slice(token * reading.tokens.length, (token + 1) * reading.tokens.length),
    );
    const best = row.indexOf(Math.max(...row));
    return [reading.tokens[best], row[best]];
  };

  panels.heads = ({ readings, at }) => {
    which.forEach((label, i) => {
      label.querySelector("input").checked = i === state.shown;
    });
    const reading = readings[state.shown],
      word = at[state.shown];
    grid.hidden = !reading;
    if (!reading) {
      large.replaceChildren(missing("There is no sentence to look at: type one above."));
      return;
    }
    buttons.forEach((row, layer) =>
      row.forEach((button, head) => {
        const map = reading.map(layer, head),
          chosen = layer === state.layer && head === state.head;
        explorerDrawing.thumbnail(button.firstChild, map, reading.tokens.length);
        const [other, weight] = most(reading, map, word);
        button.title = `Layer ${layer}, head ${head}: ${reading.tokens[word]} looks most at ${other}, ${digits(weight)}`;
        button.setAttribute("aria-label", button.title);
        button.setAttribute("aria-pressed", chosen);
        button.tabIndex = chosen ? 0 : -1;
      }),
    );
    const map = reading.map(state.layer, state.head),
      count = reading.tokens.length;
    const tell = (q, k) => {
      shown.textContent = `${reading.tokens[q]} → ${reading.tokens[k]}: ${digits(map[q * count + k], 3)}`;
    };
    const shown = element("p", { className: "explorer-value" });
    const broken = state.broken.length
      ? `, ${state.broken.map((name) => BREAKS[name].split(":")[0]).join(", ")}`
      : "";
    const table = explorerDrawing.map(reading.tokens, map, {
      caption: "rows look at columns",
      row: word,
      tell,
    });
    const title = element("h3", {}, `Layer ${state.layer}, head ${state.head}${broken}`);
    tell(word, reading.tokens.indexOf(most(reading, map, word)[0]));
    const list = element(
      "ul",
      { className: "explorer-words" },
      ...reading.tokens.map((token, q) => {
        const [other, weight] = most(reading, map, q);
        return element("li", {}, `${token} looks most at ${other} (${digits(weight)})`);
      }),
    );
    const words = element("details", {}, element("summary", {}, "The same in words"), list);
    words.open = large.querySelector("details")?.open ?? false;
    const frame = element("div", { className: "wide" }, table);
    const inTable = large.contains(document.activeElement) && document.activeElement.closest("td");
    large.replaceChildren(title, frame, shown, words);
    if (inTable) table.querySelector("td[tabindex='0']").focus();
  };

  // Step by step.
  const selects = { token: [], layer: LAYERS, head: HEADS };
  const chooser = Object.fromEntries(
    Object.entries(selects).map(([name, count]) => {
      const options = Array.from({ length: count }, (_, i) =>
        element("option", { value: `${i}` }, `${i}`),
      );
      const select = element("select", { name }, ...(Array.isArray(count) ? [] : options));
      select.addEventListener("change", () => {
        const value = Number(select.value);
        if (name === "token") state.word = state.shown ? [state.word[0], value] : [value];
        else state[name] = value;
        update();
      });
      return [name, select];
    }),
  );
  const names = explorerSteps.map(({ name, title }) => {
    const button = element("button", { type: "button" }, title);
    button.addEventListener("click", () => go(name, state.layer));
    return button;
  });
  const back = element("button", { type: "button" }, "← back"),
    on = element("button", { type: "button" }, "next →");
  const path = element(
    "ol",
    { className: "explorer-path" },
    ...names.map((button) => element("li", {}, button)),
  );
  const detail = element("div", { className: "explorer-detail" });
  function go(step, layer) {
    Object.assign(state, { step, layer });
    update();
  }
  function walk(by) {
    const last = explorerSteps.length - 1,
      i = explorerSteps.findIndex(({ name }) => name === state.step) + by;
    if (i < 0 && state.layer > 0) go(explorerSteps[last].name, state.layer - 1);
    else if (i > last && state.layer < LAYERS - 1)
      go(explorerSteps[1].name, state.layer + 1); // what comes in is known
    else if (i >= 0 && i <= last) go(explorerSteps[i].name, state.layer);
  }
  back.addEventListener("click", () => walk(-1));
  on.addEventListener("click", () => walk(1));
  places.steps.replaceChildren(
    element(
      "div",
      { className: "explorer-choice" },
      ...Object.entries(chooser).map(([name, select]) => element("label", {}, `${name} `, select)),
    ),
    path,
    element("div", { className: "explorer-actions" }, back, on),
    detail,
  );
  places.steps.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by || event.target.matches("select, [role=slider], .wide")) return;
    event.preventDefault();
    walk(by);
    if (path.contains(event.target)) path.querySelector("[aria-current]").focus();
  });

  panels.steps = ({ readings, at }) => {
    const i = explorerSteps.findIndex(({ name }) => name === state.step),
      step = explorerSteps[i];
    names.forEach((button, j) => {
      if (i === j) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
      button.tabIndex = i === j ? 0 : -1;
    });
    back.disabled = i === 0 && state.layer === 0;
    on.disabled = i === explorerSteps.length - 1 && state.layer === LAYERS - 1;
    const reading = readings[state.shown],
      token = at[state.shown];
    chooser.token.replaceChildren(
      ...(reading?.tokens ?? []).map((name, j) => element("option", { value: `${j}` }, name)),
    );
    for (const [name, value] of [
      ["token", token],
      ["layer", state.layer],
      ["head", state.head],
    ])
      chooser[name].value = `${value ?? ""}`;
    if (!reading) detail.replaceChildren(missing("Type a sentence above."));
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
      detail.replaceChildren(
        element(
          "h3",
          {},
          `${step.title}: ${reading.tokens[token]}, layer ${state.layer}, head ${state.head}`,
        ),
        element("p", {}, step.says(given)),
        ...step.shows(given),
      );
    }
  };

  panels.breaks = explorerBreaks.panel(places.breaks, {
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

  let turns = 0;
  async function update() {
    const turn = ++turns;
    writeAddress();
    try {
      const texts = NAMES.map((name) => state[name]);
      const intact = await Promise.all(texts.map((text) => read(text, [])));
      const readings = state.broken.length
        ? await Promise.all(texts.map((text) => read(text, state.broken)))
        : intact;
      const others = state.broken.filter((name) => name !== "order");
      const inOrder =
        others.length < state.broken.length && others.length
          ? await Promise.all(texts.map((text) => read(text, others)))
          : null;
      const rows = await poles();
      if (turn !== turns) return; // the reader went on
      const words = followed(intact);
      const at = readings.map((reading, i) => reading && reading.order.indexOf(words[i]));
      for (const show of Object.values(panels))
        show({ readings, intact, inOrder, words, at, rows });
    } catch (error) {
      fail(error);
    }
  }

  // What the address is about: the first of these panels that it names.
  const subject = { broken: "breaks", step: "steps", layer: "heads", head: "heads" };
  const arrive = () => {
    const found = Object.keys(subject).find((key) => location.hash.includes(`${key}=`));
    places[subject[found] ?? "sentences"].scrollIntoView();
  };
  // The small maps are painted in the scheme's own blue.
  new MutationObserver(update).observe(document.documentElement, {
    attributeFilter: ["data-theme"],
  });
  window.addEventListener("hashchange", () => {
    if (!readAddress()) return;
    update();
    arrive();
  });
  if (readAddress()) window.addEventListener("load", () => setTimeout(arrive)); // after the browser's own scrolling
  update();
})();
