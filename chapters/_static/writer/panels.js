// The panels of the page "Watch it write". Each function fills a place once and returns what draws
// into it again: `page` has the state and what changes it, `now` what the model makes of the text,
// { text, start, rows, at }, with rows null while the model has not read it.
"use strict";

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
  const percent = (share) => `${digits(100 * share, share && share < 0.1 ? 1 : 0)} %`;

  // ---- What comes next ------------------------------------------------------------------------------

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
    const all = checkbox("all", `show all ${VOCABULARY}`, false);
    const sentence = element("div"),
      list = element("ol", { className: "writer-choices" });
    sentence.setAttribute("role", "status");
    place.replaceChildren(form, sentence, list, all);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", () => {
      for (const name of ["temperature", "k", "p", "seed"]) {
        const input = form.elements[name];
        if (input.value !== "" && input.validity.valid) page.state[name] = input.valueAsNumber;
      }
      page.update();
    });
    all.addEventListener("change", page.update);

    return ({ text, rows, at }) => {
      for (const name of ["temperature", "k", "p", "seed"]) {
        if (document.activeElement !== form.elements[name]) set(form, name, page.state[name]);
      }
      const had = [...list.children].findIndex((item) => item.contains(document.activeElement));
      list.hidden = all.hidden = !rows;
      if (!rows) {
        sentence.replaceChildren(page.missing());
        return;
      }
      const found = writerChoosing.distribution(rows[at].logits, page.state);
      const number = writerChoosing.random(page.state.seed, at + 1),
        choice = writerChoosing.draw(found, number);
      const there = CHARACTERS.indexOf(text[at + 1]);
      const shown = found.order.filter(
        (i, rank) => all.firstChild.checked || rank < SHOWN || i === choice || i === there,
      );
      list.replaceChildren(
        ...shown.map((i) => {
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
          return element("li", {}, button);
        }),
      );
      if (had >= 0) list.children[Math.min(had, list.children.length - 1)].firstChild.focus();
      if (page.running()) return; // a screen reader would read each
      const left = found.cut.filter((cut) => !cut).length;
      const unlisted = found.order
        .filter((i) => !shown.includes(i))
        .reduce((sum, i) => sum + found.drawn[i], 0);
      const how = page.state.temperature
        ? `${left === 1 ? "Only one of the" : left === VOCABULARY ? "Any of the" : `${left} of the`} ${VOCABULARY} characters can be drawn. The number drawn for this place is ${digits(number, 3)}: ` +
          `adding up the probabilities from the top of the list, ${spoken(CHARACTERS[choice])} is where the sum exceeds it.`
        : `Greedy: the likeliest character, ${spoken(CHARACTERS[choice])}, is taken.`;
      const rest =
        unlisted > 0.0005
          ? ` The characters that are not listed have ${percent(unlisted)} together.`
          : "";
      sentence.textContent = `After “${tail(text, at)}”. ${how}${rest}`;
    };
  }

  // The end of the text up to a place, on one line.
  const tail = (text, at) =>
    (at > 20 ? "…" : "") + text.slice(Math.max(0, at - 20), at + 1).replaceAll("\n", "⏎");

  // ---- Heads ----------------------------------------------------------------------------------------

  // A button with a picture for each head of each layer, of which one is chosen.
  function headGrid(page, name) {
    const grid = element("div", { className: `writer-grid ${name}` });
    const buttons = Array.from({ length: LAYERS * HEADS }, (_, i) => {
      const button = element("button", { type: "button" }, element("canvas"));
      button.addEventListener("click", () =>
        page.change({ layer: Math.floor(i / HEADS), head: i % HEADS }),
      );
      return button;
    });
    grid.append(
      ...buttons.flatMap((button, i) =>
        i % HEADS ? [button] : [element("span", { ariaHidden: "true" }, `${i / HEADS}`), button],
      ),
    );
    grid.setAttribute("role", "group");
    grid.setAttribute("aria-label", "Four layers of four heads");
    grid.addEventListener("keydown", (event) => {
      const move = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[
        event.key
      ];
      if (!move) return;
      event.preventDefault();
      const layer = (page.state.layer + move[0] + LAYERS) % LAYERS,
        head = (page.state.head + move[1] + HEADS) % HEADS;
      page.change({ layer, head });
      buttons[layer * HEADS + head].focus();
    });
    const draw = (paint, says) =>
      buttons.forEach((button, i) => {
        const layer = Math.floor(i / HEADS),
          head = i % HEADS,
          chosen = layer === page.state.layer && head === page.state.head;
        paint(button.firstChild, layer, head);
        button.title = `Layer ${layer}, head ${head}${says(layer, head)}`;
        button.setAttribute("aria-label", button.title);
        button.setAttribute("aria-pressed", chosen);
        button.tabIndex = chosen ? 0 : -1;
      });
    return [grid, draw];
  }

  function heads(place, page) {
    const [grid, draw] = headGrid(page, "strips");
    const title = element("h3"),
      shaded = writerDrawing.textBox(page.choose),
      most = element("p");
    const empty = element("div");
    place.replaceChildren(grid, title, shaded, most, empty);

    return ({ text, start, rows, at }) => {
      grid.hidden = title.hidden = shaded.hidden = most.hidden = !rows;
      empty.replaceChildren(...(rows ? [] : [page.missing()]));
      if (!rows) return;
      const count = at + 1;
      const weights = (layer, head) =>
        rows[at].weights.slice((layer * HEADS + head) * count, (layer * HEADS + head + 1) * count);
      const best = (row) => row.indexOf(Math.max(...row));
      draw(
        (canvas, layer, head) => writerDrawing.strip(canvas, weights(layer, head).slice(-LATEST)),
        (layer, head) => {
          const row = weights(layer, head),
            i = best(row);
          return `: looks most at ${spoken(text[i])}, ${back(at - i)}, ${digits(row[i])}`;
        },
      );
      const { layer, head } = page.state,
        row = weights(layer, head);
      title.textContent = `Layer ${layer}, head ${head}: ${spoken(text[at])} looks back`;
      writerDrawing.text(shaded, text.slice(0, count), { start, at, shade: (i) => row[i] });
      const five = Array.from(row.keys())
        .sort((a, b) => row[b] - row[a])
        .slice(0, 5)
        .filter((i) => row[i] >= 0.005);
      most.textContent = `Most at ${five.map((i) => `${spoken(text[i])}, ${back(at - i)} (${digits(row[i])})`).join("; ")}.`;
    };
  }

  const back = (distance) => (distance ? `${distance} back` : "itself");

  // ---- The cache ------------------------------------------------------------------------------------

  function cache(place, page) {
    const [grid, draw] = headGrid(page, "caches");
    const sentence = element("p"),
      title = element("h3"),
      pictures = element("div"),
      empty = element("div");
    const filled = element("meter", {
      min: 0,
      max: POSITIONS,
      ariaLabel: "Positions in the cache",
    });
    const parts = [
      ["Keys", "keys", "key"],
      ["Values", "values", "value"],
    ].map(([name, which, role]) => {
      const canvas = element("canvas", { className: "writer-columns" }),
        mark = element("span"),
        one = element("div");
      canvas.setAttribute("role", "img");
      canvas.addEventListener("click", ({ offsetX }) => {
        const i = Math.floor((offsetX / canvas.clientWidth) * canvas.width);
        if (i < canvas.painted.length) page.choose(i);
      });
      pictures.append(
        element(
          "p",
          { className: "explorer-value" },
          `${name}: a column for each character, ${SIZE} numbers high`,
        ),
        element("div", { className: "writer-frame" }, canvas, mark),
        one,
      );
      return { name, which, role, canvas, mark, one };
    });
    place.replaceChildren(sentence, filled, grid, title, pictures, empty);

    return ({ text, rows, at }) => {
      const there = Boolean(rows?.[0].keys); // the opening example comes without them
      sentence.hidden = filled.hidden = grid.hidden = title.hidden = pictures.hidden = !there;
      empty.replaceChildren(...(there ? [] : [page.missing()]));
      if (!there) return;
      const held = 2 * LAYERS * HIDDEN * 4,
        count = (number) => number.toLocaleString("en");
      filled.value = rows.length;
      sentence.textContent =
        `2 × ${LAYERS} layers × ${HEADS} heads × ${SIZE} numbers of 4 bytes are ${count(held)} bytes for each character: ` +
        `${count(held * rows.length)} bytes for these ${rows.length}, ${count(held * POSITIONS)} for the ${POSITIONS} that fit.`;
      const numbers = (which, layer, head) => (row) =>
        row[which].subarray(layer * HIDDEN + head * SIZE, layer * HIDDEN + (head + 1) * SIZE);
      draw(
        (canvas, layer, head) =>
          writerDrawing.columns(canvas, rows, {
            numbers: numbers("keys", layer, head),
            room: POSITIONS,
            colour: "--key",
            most: 4,
          }),
        () => `: keys of ${rows.length} characters`,
      );
      const { layer, head } = page.state;
      title.textContent = `Layer ${layer}, head ${head}`;
      const room = Math.min(
        POSITIONS,
        64 * 2 ** Math.ceil(Math.log2(Math.max(1, rows.length / 64))),
      );
      for (const { name, which, role, canvas, mark, one } of parts) {
        const own = numbers(which, layer, head);
        if (canvas.head !== layer * HEADS + head)
          Object.assign(canvas, { head: layer * HEADS + head, look: "" });
        writerDrawing.columns(canvas, rows, { numbers: own, room, colour: `--${role}`, most: 4 });
        canvas.setAttribute(
          "aria-label",
          `${name} of layer ${layer}, head ${head}: ${rows.length} columns, with room for ${POSITIONS}`,
        );
        mark.style.left = `${(100 * (at + 0.5)) / room}%`;
        if (page.running()) continue;
        one.replaceChildren(
          explorerDrawing.vector(own(rows[at]), {
            role,
            name: `${name.slice(0, -1)} of ${spoken(text[at])}`,
          }),
        );
      }
    };
  }

  // ---- With and without it --------------------------------------------------------------------------

  function time(place, page) {
    const chart = element("div"),
      sentence = element("p"),
      empty = element("div");
    const measure = element("button", { type: "button" }, "Measure both on this text");
    const [table, body] = numbers("Milliseconds for one more character, measured here", [
      "the text is read",
      "measured",
      "median",
      "at the longest text",
    ]);
    sentence.setAttribute("role", "status");
    place.replaceChildren(
      element("div", { className: "explorer-actions" }, measure),
      sentence,
      chart,
      table,
      empty,
    );
    measure.addEventListener("click", async () => {
      sentence.textContent = "Measuring …";
      sentence.textContent = await page.measure();
    });

    return ({ rows }) => {
      const there = Boolean(rows?.[0].keys),
        series = [
          ["with", "with the cache", "pair"],
          ["without", "without it", "second"],
        ]
          .map(([which, name, kind]) => ({ name, kind, points: [...page.times[which]] }))
          .filter(({ points }) => points.length);
      measure.hidden = sentence.hidden = !there;
      measure.disabled = page.running();
      if (page.running()) return; // the drawing has a point for each character
      empty.replaceChildren(...(there ? [] : [page.missing()]));
      chart.hidden = table.hidden = !series.length;
      if (!series.length) return;
      const median = (all) => all.sort((a, b) => a - b)[Math.floor(all.length / 2)];
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
    };
  }

  return { next, heads, cache, time };
})();
