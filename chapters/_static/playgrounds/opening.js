// @ts-check
// The first page: where a word looks, layer by layer, and the words that it comes close to.
"use strict";

playgrounds.opening = ({ form, picture, say, data }) => {
  const { sentences } = data,
    LAYERS = sentences[0].maps.length,
    count = sentences[0].tokens.length;
  const play = element("button", { type: "button" }, "play");
  form.append(
    choice(
      "sentence",
      "sentence",
      sentences.map(({ tokens }, i) => [i, tokens.slice(1, -1).join(" ")]),
      0,
    ),
    choice(
      "word",
      "word",
      sentences[0].tokens.map((token, i) => [i, token]),
      sentences[0].tokens.indexOf("flies"),
    ),
    slider("layer", "layers read", { min: 0, max: LAYERS, step: 1, value: 0, show: String }),
    checkbox("words", "words only, scaled up to 1", true),
    play,
  );
  const box = { width: 320, height: 218 },
    [left, top, step] = [34, 26, 28];
  const {
    frame,
    picture: drawing,
    unit,
  } = sheet("Choose a word: where does it look? (average of 12 heads)", box, () => draw());
  picture.append(frame);
  const across = (/** @type {number} */ token) =>
      left + ((box.width - left) * (token + 0.5)) / count,
    down = (/** @type {number} */ row) => top + step * row;
  /** @type {number | null} */
  let playing = null;
  let newest = -1;

  function draw() {
    const { sentence, word, words, layer } = form.elements;
    const { tokens, nearest, maps: all } = sentences[Number(sentence.value)],
      read = layer.valueAsNumber,
      chosen = Number(word.value);
    const kept = (/** @type {number} */ _, /** @type {number} */ i) =>
      !words.checked || (i > 0 && i < count - 1);
    const maps = all.map((map) => {
      // of the chosen word
      const sum = total(map[chosen].filter(kept));
      return map[chosen].map((weight, i) => (kept(weight, i) ? weight / sum : 0));
    });
    tokens.forEach((token, i) => (word.options[i].textContent = token));
    const size = Math.min(LETTERS * unit(), 13),
      pixel = unit();
    const names = (/** @type {number} */ y) =>
      tokens.map((token, i) =>
        svg(
          "text",
          {
            x: across(i),
            y,
            "font-size": size,
            "text-anchor": "middle",
            class: i === chosen ? "query" : "plain",
          },
          token,
        ),
      );
    const rows = Array.from({ length: LAYERS + 1 }, (_, row) => [
      svg(
        "text",
        { x: 0, y: down(row) + 0.35 * size, "font-size": size, class: "plain" },
        row ? `${row}` : "start",
      ),
      ...tokens.map((_, i) =>
        svg("circle", {
          cx: across(i),
          cy: down(row),
          r: 3 * pixel,
          class: i === chosen && row <= read ? "mark query" : "dot",
        }),
      ),
    ]);
    const lines = maps.slice(0, read).flatMap((map, row) =>
      map.map((weight, i) => {
        const line = svg("line", {
          x1: across(i),
          y1: down(row),
          x2: across(chosen),
          y2: down(row + 1),
          "stroke-width": (0.5 + 9 * weight) * pixel,
          pathLength: 1,
          class: "line query",
        });
        line.style.opacity = `${weight && Math.min(1, 0.15 + 1.2 * weight)}`;
        if (playing && row === newest) line.classList.add("new");
        return line;
      }),
    );
    const columns = tokens.map((_, i) => {
      const column = svg("rect", {
        x: across(i) - (box.width - left) / count / 2,
        y: 0,
        width: (box.width - left) / count,
        height: box.height,
        class: "column",
      });
      const choose = () => {
        if (form.elements.word.value === `${i}`) return;
        stop();
        set(form, "word", i);
        form.dispatchEvent(new Event("input"));
      };
      column.addEventListener(
        "pointerenter",
        ({ pointerType }) => pointerType === "mouse" && choose(),
      );
      column.addEventListener("click", choose);
      return column;
    });
    drawing.replaceChildren(
      ...lines,
      ...rows.flat(),
      ...names(0.9 * size),
      ...names(box.height - 2),
      ...columns,
    );
    const close = nearest[read][chosen].map((each) => `“${each}”`).join(", ");
    const map = maps[read - 1] ?? [],
      order = map.map((_, i) => i).sort((a, b) => map[b] - map[a]);
    const looks = order
      .slice(0, 3)
      .map((i) => `${tokens[i]} ${digits(map[i])}`)
      .join(", ");
    say(
      `${read ? `After layer ${read}` : "Before the first layer"}, the words closest to “${tokens[chosen]}” are ${close}. ` +
        (read ? `In this layer it looks at ${looks}.` : "It has looked at nothing yet."),
      playing !== null,
    );
  }

  function stop() {
    clearInterval(playing ?? undefined);
    playing = null;
    play.textContent = "play";
  }
  function start() {
    stop();
    newest = -1;
    const go = () => {
      set(form, "layer", newest + 1);
      if (newest + 1 === LAYERS) stop();
      draw(); // and nothing is kept of it
      newest += 1;
    };
    playing = setInterval(go, 600);
    play.textContent = "stop";
    go();
  }
  play.addEventListener("click", () => (playing ? stop() : start()));
  // On paper all of it, and afterwards what a reader had chosen.
  /** @type {string} */
  let before;
  window.addEventListener("beforeprint", () => {
    stop();
    before = form.elements.layer.value;
    set(form, "layer", LAYERS);
    draw();
  });
  window.addEventListener("afterprint", () => {
    set(form, "layer", before);
    draw();
  });
  form.addEventListener("pointerdown", ({ target }) => target !== play && stop());
  form.addEventListener("keydown", ({ target }) => target !== play && stop());
  return draw;
};
