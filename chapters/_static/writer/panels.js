// @ts-check
// The panels of the page "Watch it write". Each function fills a place once and returns what draws
// into it again: `page` has the state and what changes it, `now` what the model makes of the text.
"use strict";

/**
 * What the model makes of one position of a text; the opening example comes without keys and values.
 * @typedef {{ logits: ArrayLike<number>, weights: ArrayLike<number>, keys?: Float32Array, values?: Float32Array }} WriterRow
 */
/**
 * What there is to show: a text, the length of its beginning, what the model makes of each position,
 * or null while it has not read it, and the place that is looked at.
 * @typedef {{ text: string, start: number, rows: WriterRow[] | null, at: number }} WriterNow
 */
/**
 * Milliseconds for one more character by the length of the text, with the cache and without it.
 * @typedef {Record<"with" | "without", Map<number, number>>} WriterTimes
 */
/**
 * @typedef {Object} WriterPage
 * @property {{ temperature: number, k: number, p: number, seed: number, layer: number, head: number, cache: string }} state
 * @property {WriterTimes} times
 * @property {(changes: { layer?: number, head?: number }) => void} change
 * @property {(at: number) => void} choose
 * @property {(at: number, character: string) => void} goOn
 * @property {(goOn: (done: number, all: number) => boolean) => Promise<string>} measure
 * @property {() => boolean} running
 * @property {() => boolean} able whether the model is there
 * @property {() => void} update
 * @property {() => Element} missing what stands where something has to be computed first
 */

const writerPanels = (() => {
  const {
    layers: LAYERS,
    heads: HEADS,
    hidden: HIDDEN,
    vocabulary: VOCABULARY,
    positions: POSITIONS,
  } = writerAbout.config;
  const SIZE = HIDDEN / HEADS,
    SHOWN = 10; // characters in the list, if not all
  const LATEST = 48; // characters in the strip of a head
  const CHARACTERS = [...writerAbout.characters];
  const { visible, spoken } = writerDrawing;
  const percent = (/** @type {number} */ share) =>
    `${digits(100 * share, share && share < 0.1 ? 1 : 0)} %`;

  // ---- What comes next ------------------------------------------------------------------------------

  /**
   * @param {HTMLElement} place
   * @param {WriterPage} page
   * @returns {ExplorerPanel<WriterNow>}
   */
  function next(place, page) {
    const form = element(
      "form",
      { className: "writer-settings" },
      slider("temperature", "temperature", {
        min: 0,
        max: 3,
        step: 0.05,
        value: 1,
        show: (t) => (t ? digits(t) : "0, greedy"),
      }),
      slider("k", "top-k", {
        min: 1,
        max: VOCABULARY,
        step: 1,
        value: VOCABULARY,
        show: (k) => (k === VOCABULARY ? "all" : `${k}`),
      }),
      slider("p", "top-p", {
        min: 0.05,
        max: 1,
        step: 0.05,
        value: 1,
        show: (p) => (p === 1 ? "all" : digits(p)),
      }),
      element(
        "label",
        {},
        "seed ",
        element("input", { type: "number", name: "seed", min: 0, max: 999999, step: 1 }),
      ),
    );
    const names = /** @type {const} */ (["temperature", "k", "p", "seed"]);
    const input = (/** @type {string} */ name) =>
      /** @type {HTMLInputElement} */ (form.elements.namedItem(name));
    const wrong = element("p", { role: "status", className: "writer-wrong" }),
      all = element("input", { type: "checkbox", name: "all" }),
      tick = element("label", { className: "tick" }, all, ` show all ${VOCABULARY}`);
    const sentence = element("div", { role: "status", className: "writer-sentence" }),
      list = element("ol", { className: "writer-choices" });
    place.replaceChildren(list, tick, form, wrong, sentence);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", () => {
      for (const name of names) {
        const { value, validity, valueAsNumber } = input(name);
        if (value !== "" && validity.valid) page.state[name] = valueAsNumber;
      }
      refuse();
      page.update();
    });
    form.addEventListener("focusout", () => {
      set(form, "seed", `${page.state.seed}`);
      refuse();
    });
    all.addEventListener("change", page.update);

    // What is said of a seed that is none.
    function refuse() {
      const { value, validity } = input("seed");
      const bad = validity.badInput || value === "" || !validity.valid;
      input("seed").setAttribute("aria-invalid", `${bad}`);
      const said = `A seed is a whole number from 0 to 999,999. Until there is one, ${page.state.seed} stays.`;
      if (wrong.textContent !== (bad ? said : "")) wrong.textContent = bad ? said : "";
    }

    /** @param {WriterNow} now */
    function draw({ text, rows, at }) {
      for (const name of names) {
        if (document.activeElement !== input(name)) set(form, name, `${page.state[name]}`);
      }
      refuse();
      list.hidden = tick.hidden = !rows;
      if (!rows) {
        sentence.replaceChildren(page.missing());
        return;
      }
      const found = writerChoosing.distribution(rows[at].logits, page.state);
      const number = writerChoosing.random(page.state.seed, at + 1),
        choice = writerChoosing.draw(found, number);
      const there = CHARACTERS.indexOf(text[at + 1]);
      const named = found.order.filter((i) => i === choice || i === there),
        likely = found.order.filter((i) => !named.includes(i)).slice(0, SHOWN - named.length);
      const shown = found.order.filter(
        (i) => all.checked || named.includes(i) || likely.includes(i),
      );
      const buttons = shown.map((i) => {
        const notes = [
          found.cut[i] && `cut by ${found.cut[i]}`,
          i === choice && "drawn",
          i === there && "in the text",
        ].filter(Boolean);
        const bar = element("span", { className: `writer-bar${found.cut[i] ? " cut" : ""}` });
        bar.style.width = `${(100 * found.heated[i]).toFixed(2)}%`;
        const button = element(
          "button",
          { type: "button", className: i === choice ? "drawn" : "" },
          element("b", {}, visible(CHARACTERS[i])),
          element("span", { className: "share" }, bar),
          element("span", { className: "number" }, percent(found.drawn[i])),
          element("small", {}, notes.join(", ")),
        );
        button.setAttribute(
          "aria-label",
          `${spoken(CHARACTERS[i])}: ${[percent(found.drawn[i]), ...notes].join(", ")}. Go on with it.`,
        );
        button.addEventListener("click", () => page.goOn(at, CHARACTERS[i]));
        return button;
      });
      const had = [...list.children].findIndex((item) => item.contains(document.activeElement));
      list.replaceChildren(...buttons.map((button) => element("li", {}, button)));
      if (had >= 0) buttons[Math.min(had, buttons.length - 1)].focus();
      if (page.running()) return; // a screen reader would read each
      const left = found.cut.filter((cut) => !cut).length;
      const unlisted = total(
        found.order.filter((i) => !shown.includes(i)).map((i) => found.drawn[i]),
      );
      const how = page.state.temperature
        ? `${left === 1 ? "Only one of the" : left === VOCABULARY ? "Any of the" : `${left} of the`} ${VOCABULARY} characters can be drawn. The number drawn for this place is ${digits(number, 3)}: ` +
          `adding up the probabilities from the top of the list, ${spoken(CHARACTERS[choice])} is where the sum exceeds it.`
        : `Greedy: the likeliest character, ${spoken(CHARACTERS[choice])}, is taken.`;
      const rest =
        unlisted > 0.0005
          ? ` The characters that are not listed have ${percent(unlisted)} together.`
          : "";
      sentence.textContent = `After “${tail(text, at)}”. ${how}${rest}`;
    }

    return {
      shows: ({ text, rows, at }) => [
        ...[rows?.[at], text, at, all.checked, page.running(), page.able()],
        ...names.map((name) => page.state[name]),
      ],
      draw,
    };
  }

  // The end of the text up to a place, on one line.
  const tail = (/** @type {string} */ text, /** @type {number} */ at) =>
    (at > 20 ? "…" : "") + text.slice(Math.max(0, at - 20), at + 1).replaceAll("\n", "⏎");

  // ---- Heads ----------------------------------------------------------------------------------------

  /**
   * @param {WriterPage} page
   * @param {string} look
   */
  const headGrid = (page, look) =>
    explorerHeads(
      writerAbout.config,
      page.state,
      (layer, head) => page.change({ layer, head }),
      look,
    );

  /**
   * @param {HTMLElement} place
   * @param {WriterPage} page
   * @returns {ExplorerPanel<WriterNow>}
   */
  function heads(place, page) {
    const { grid, mark, draw: drawStrips } = headGrid(page, "strips");
    const title = element("h3"),
      shaded = writerDrawing.textBox(page.choose),
      most = element("p"),
      empty = element("div");
    place.replaceChildren(grid, title, shaded, most, empty);
    /** @type {WriterRow | null} */
    let drawn = null; // the position whose strips there are

    /** @param {WriterNow} now */
    function draw({ text, start, rows, at }) {
      grid.hidden = title.hidden = shaded.hidden = most.hidden = !rows;
      empty.replaceChildren(...(rows ? [] : [page.missing()]));
      if (!rows) return;
      mark();
      const count = at + 1,
        { weights } = rows[at];
      /** @type {(layer: number, head: number) => number[]} */
      const looks = (layer, head) =>
        Array.from({ length: count }, (_, i) => weights[(layer * HEADS + head) * count + i]);
      const back = (/** @type {number} */ i) => (i < at ? `${at - i} back` : "itself");
      if (drawn !== rows[at])
        drawStrips((canvas, layer, head) => {
          const row = looks(layer, head),
            i = row.indexOf(Math.max(...row)),
            latest = row.slice(-LATEST);
          explorerDrawing.pixels(canvas, latest, latest.length);
          return `looks most at ${spoken(text[i])}, ${back(i)}, ${digits(row[i])}`;
        });
      drawn = rows[at];
      const { layer, head } = page.state,
        row = looks(layer, head);
      title.textContent = `Layer ${layer}, head ${head}: ${spoken(text[at])} looks back`;
      writerDrawing.text(shaded, text.slice(0, count), { start, at, shade: (i) => row[i] });
      const five = row
        .map((_, i) => i)
        .sort((a, b) => row[b] - row[a])
        .slice(0, 5)
        .filter((i) => row[i] >= 0.005);
      most.textContent = `Most at ${five.map((i) => `${spoken(text[i])}, ${back(i)} (${digits(row[i])})`).join("; ")}.`;
    }

    return {
      shows: ({ text, start, rows, at }) => [
        ...[rows?.[at], text, start, at, page.state.layer, page.state.head, page.able()],
      ],
      draw,
    };
  }

  // ---- The cache ------------------------------------------------------------------------------------

  /**
   * @param {HTMLElement} place
   * @param {WriterPage} page
   * @returns {ExplorerPanel<WriterNow>}
   */
  function cache(place, page) {
    const { grid, mark, draw: drawKeys } = headGrid(page, "caches");
    const sentence = element("p"),
      title = element("h3"),
      pictures = element("div"),
      empty = element("div");
    const filled = element("meter", {
      min: 0,
      max: POSITIONS,
      "aria-label": "Positions in the cache",
    });
    /** @typedef {"keys" | "values"} Which */
    const parts = [
      { name: "Key", which: /** @type {Which} */ ("keys"), role: "key" },
      { name: "Value", which: /** @type {Which} */ ("values"), role: "value" },
    ].map((part) => {
      const canvas = element("canvas", { className: "writer-columns", role: "img" }),
        below = element("span"),
        one = element("div"),
        columns = writerDrawing.columns(canvas);
      canvas.addEventListener("click", ({ offsetX }) => {
        const i = Math.floor((offsetX / canvas.clientWidth) * canvas.width);
        if (i < columns.count()) page.choose(i);
      });
      pictures.append(
        element(
          "p",
          { className: "explorer-value" },
          `${part.name}s: a column for each character, ${SIZE} numbers high`,
        ),
        element("div", { className: "writer-frame" }, canvas, below),
        one,
      );
      return { ...part, canvas, below, one, columns };
    });
    place.replaceChildren(sentence, filled, grid, title, pictures, empty);
    /** @type {Map<HTMLCanvasElement, ReturnType<typeof writerDrawing.columns>>} */
    const small = new Map();

    /** @param {WriterNow} now */
    function draw({ text, rows, at }) {
      const there = Boolean(rows?.[0].keys); // the opening example comes without them
      sentence.hidden = filled.hidden = grid.hidden = title.hidden = pictures.hidden = !there;
      empty.replaceChildren(...(there ? [] : [page.missing()]));
      if (!there || !rows) return;
      mark();
      const held = 2 * LAYERS * HIDDEN * 4,
        count = (/** @type {number} */ number) => number.toLocaleString("en");
      filled.value = rows.length;
      sentence.textContent =
        `2 × ${LAYERS} layers × ${HEADS} heads × ${SIZE} numbers of 4 bytes are ${count(held)} bytes for each character: ` +
        `${count(held * rows.length)} bytes for these ${rows.length}, ${count(held * POSITIONS)} for the ${POSITIONS} that fit.`;
      /** @type {(which: Which, layer: number, head: number) => (row: WriterRow) => ArrayLike<number>} */
      const own = (which, layer, head) => (row) =>
        row[which]?.subarray(layer * HIDDEN + head * SIZE, layer * HIDDEN + (head + 1) * SIZE) ??
        [];
      drawKeys((canvas, layer, head) => {
        const columns = small.get(canvas) ?? writerDrawing.columns(canvas);
        small.set(canvas, columns);
        columns.draw(rows, { numbers: own("keys", layer, head), room: POSITIONS, colour: "--key" });
        return `keys of ${rows.length} characters`;
      });
      const { layer, head } = page.state;
      title.textContent = `Layer ${layer}, head ${head}`;
      const room = Math.min(
        POSITIONS,
        64 * 2 ** Math.ceil(Math.log2(Math.max(1, rows.length / 64))),
      );
      for (const { name, which, role, canvas, below, one, columns } of parts) {
        const numbers = own(which, layer, head);
        columns.draw(rows, { numbers, room, colour: `--${role}`, of: `${layer} ${head}` });
        canvas.setAttribute(
          "aria-label",
          `${name}s of layer ${layer}, head ${head}: ${rows.length} columns, with room for ${POSITIONS}`,
        );
        below.style.left = `${(100 * (at + 0.5)) / room}%`;
        if (page.running()) continue;
        one.replaceChildren(
          explorerDrawing.vector(numbers(rows[at]), {
            role,
            name: `${name} of ${spoken(text[at])}`,
          }),
        );
      }
    }

    return {
      shows: ({ text, rows, at }) => [
        ...[rows, text, at, page.state.layer, page.state.head, page.running(), page.able()],
      ],
      draw,
    };
  }

  // ---- With and without it --------------------------------------------------------------------------

  /**
   * @param {HTMLElement} place
   * @param {WriterPage} page
   * @returns {ExplorerPanel<WriterNow>}
   */
  function time(place, page) {
    const chart = element("div"),
      sentence = element("p", { role: "status" }),
      empty = element("div"),
      bar = element("progress", { max: 1, value: 0, hidden: true, "aria-label": "Measuring" });
    const START = "Measure both on this text";
    let busy = false,
      of = ""; // the text that is measured
    const measure = explorerButton(START, async () => {
      if (busy) {
        busy = false; // what is being read is read to its end
        sentence.textContent = "Stopping …";
        return;
      }
      busy = true;
      measure.textContent = "Stop";
      sentence.textContent = "Measuring …";
      bar.hidden = false;
      const found = await page.measure((done, all) => {
        bar.value = done / all;
        return busy;
      });
      busy = false;
      bar.hidden = true;
      measure.textContent = START;
      sentence.textContent = found;
    });
    const [table, body] = numbers("Milliseconds for one more character, measured here", [
      "the text is read",
      "measured",
      "median",
      "at the longest text",
    ]);
    place.replaceChildren(
      element("div", { className: "explorer-actions" }, measure),
      bar,
      sentence,
      chart,
      table,
      empty,
    );

    /** @param {WriterNow} now */
    function draw({ text, rows }) {
      if (busy && text !== of) busy = false; // the reader goes on with another text
      of = text;
      const there = Boolean(rows?.[0].keys);
      const series = [
        { name: "with the cache", kind: "pair", points: [...page.times.with] },
        { name: "without it", kind: "second", points: [...page.times.without] },
      ].filter(({ points }) => points.length);
      measure.hidden = sentence.hidden = !there;
      switchOff(measure, page.running());
      if (page.running()) return; // the drawing has a point for each character
      empty.replaceChildren(...(there ? [] : [page.missing()]));
      chart.hidden = table.hidden = !series.length;
      if (!series.length) return;
      const median = (/** @type {number[]} */ all) =>
        all.sort((a, b) => a - b)[Math.floor(all.length / 2)];
      const lines = series.map(({ name, points }) => {
        const [longest, ms] = points.reduce((most, point) => (point[0] > most[0] ? point : most));
        return [
          name,
          `${points.length} times`,
          digits(median(points.map(([, each]) => each)), 1),
          `${digits(ms, 1)} at ${longest}`,
        ];
      });
      const said = lines
        .map(([name, , each, last]) => `${name}, median ${each} ms, ${last} characters`)
        .join("; ");
      chart.replaceChildren(
        writerDrawing.times(
          series,
          `Milliseconds for one more character by the length of the text: ${said}`,
        ),
      );
      fill(body, lines);
    }

    return {
      shows: ({ text, rows }) => [
        ...[text, rows, page.running(), page.able(), page.times.with.size, page.times.without.size],
      ],
      draw,
    };
  }

  return { next, heads, cache, time };
})();
