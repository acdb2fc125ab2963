// What the writer's page draws: the text, attention as strips, the cache as columns, and times.
// Nothing here computes. `element`, `svg` and `digits` are those of playgrounds/parts.js.
"use strict";

const writerDrawing = {
  // A character as it is shown, and as it is read out.
  visible: (character) => ({ "\n": "⏎", " ": "␣" })[character] ?? character,
  spoken: (character) => ({ "\n": "a new line", " ": "a space" })[character] ?? `“${character}”`,

  // A place for a text whose characters can be clicked; `choose` is called with the place of one.
  textBox(choose) {
    const box = element("div", { className: "writer-text", ariaHidden: "true" });
    box.addEventListener("click", ({ target }) => {
      const i = [...box.children].indexOf(target);
      if (i >= 0) choose(i);
    });
    return box;
  },

  // Show a text there, character by character, changing no more than has changed; `shade`, if there
  // is one, gives each character its weight. The place `at` is scrolled into view.
  text(box, text, { start, at, shade }) {
    while (box.children.length > text.length) box.lastChild.remove();
    for (let i = 0; i < text.length; i++) {
      const shown = text[i] === "\n" ? "⏎\n" : text[i];
      const span = box.children[i] ?? box.appendChild(element("span", {}, shown));
      const look = `${i < start ? "start" : ""}${i === at ? " at" : ""}`;
      if (span.textContent !== shown) span.textContent = shown;
      if (span.className !== look) span.className = look;
      const weight = shade?.(i).toFixed(2);
      if (shade && span.style.getPropertyValue("--weight") !== weight)
        span.style.setProperty("--weight", weight);
    }
    if (!box.children[at]) return;
    const { offsetTop: top, offsetHeight: height } = box.children[at];
    if (top < box.scrollTop || top + height > box.scrollTop + box.clientHeight)
      box.scrollTop = top - box.clientHeight / 2;
  },

  // Weights of characters as one strip.
  strip(canvas, weights) {
    canvas.width = weights.length;
    canvas.height = 1;
    const context = canvas.getContext("2d"),
      image = context.createImageData(weights.length, 1);
    const ink = explorerDrawing.ink("--query");
    weights.forEach((weight, i) => image.data.set([...ink, 255 * weight], 4 * i));
    context.putImageData(image, 0, 0);
  },

  // Bring a picture up to date that has a column for each character: only columns that have changed
  // are painted. `numbers` gives those of a row; one as large as `most` has the full colour.
  columns(canvas, rows, { numbers, room, colour, most }) {
    const height = numbers(rows[0]).length;
    const look = `${room} ${colour} ${document.documentElement.dataset.theme}`;
    if (canvas.look !== look) Object.assign(canvas, { width: room, height, look, painted: [] }); // which clears it
    const context = canvas.getContext("2d"),
      ink = explorerDrawing.ink(colour);
    rows.forEach((row, i) => {
      if (canvas.painted[i] === row) return;
      const image = context.createImageData(1, height);
      numbers(row).forEach((number, j) =>
        image.data.set([...ink, 255 * Math.min(1, Math.abs(number) / most)], 4 * j),
      );
      context.putImageData(image, i, 0);
    });
    context.clearRect(rows.length, 0, room, height);
    canvas.painted = [...rows];
  },

  // Milliseconds for one more character by the length of the text: series of { kind, name, points }.
  times(series, label) {
    const width = 460,
      height = 240,
      [left, top, right, bottom] = [56, 26, 440, 190];
    const all = series.flatMap(({ points }) => points);
    const longest = Math.max(64, ...all.map(([length]) => length)),
      most = Math.max(1, ...all.map(([, ms]) => ms));
    const x = (length) => left + ((right - left) * length) / longest,
      y = (ms) => bottom - ((bottom - top) * ms) / most;
    const picture = svg("svg", {
      viewBox: `0 0 ${width} ${height}`,
      role: "img",
      "aria-label": label,
      class: "explorer-lines",
    });
    const text = (at, words) => picture.append(svg("text", at, words));
    for (const share of [0, 0.5, 1]) {
      picture.append(
        svg("line", {
          x1: left,
          x2: right,
          y1: y(share * most),
          y2: y(share * most),
          class: "grid",
        }),
      );
      text(
        { x: left - 6, y: y(share * most) + 4, "text-anchor": "end" },
        digits(share * most, most < 10 ? 1 : 0),
      );
      text(
        { x: x(share * longest), y: bottom + 18, "text-anchor": "middle" },
        `${Math.round(share * longest)}`,
      );
    }
    text({ x: left - 40, y: 12 }, "milliseconds for one more character");
    text(
      { x: (left + right) / 2, y: bottom + 38, "text-anchor": "middle" },
      "characters in the text",
    );
    for (const { kind, points } of series) {
      const line = [...points].sort(([a], [b]) => a - b);
      picture.append(
        svg("polyline", {
          points: line.map(([length, ms]) => `${x(length)},${y(ms)}`).join(" "),
          class: kind,
        }),
      );
      for (const [length, ms] of line)
        picture.append(svg("circle", { cx: x(length), cy: y(ms), r: 2, class: kind }));
    }
    return picture;
  },
};
