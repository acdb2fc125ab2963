// @ts-check
// What the writer's page draws: the text, attention as strips, the cache as columns, and times.
// Nothing here computes. `element`, `svg` and `digits` are those of playgrounds/parts.js.
"use strict";

const writerDrawing = {
  // A character as it is shown, and as it is read out.
  visible: (/** @type {string} */ character) =>
    character === "\n" ? "⏎" : character === " " ? "␣" : character,
  spoken: (/** @type {string} */ character) =>
    character === "\n" ? "a new line" : character === " " ? "a space" : `“${character}”`,

  /**
   * A place for a text whose characters can be clicked; `choose` is called with the place of one.
   * @param {(at: number) => void} choose
   */
  textBox(choose) {
    const box = element("div", { className: "writer-text", "aria-hidden": "true" });
    box.addEventListener("click", ({ target }) => {
      const i = [...box.children].indexOf(/** @type {Element} */ (target));
      if (i >= 0) choose(i);
    });
    return box;
  },

  /**
   * Show a text there, character by character, changing no more than has changed; `shade`, if there
   * is one, gives each character its weight. The place `at` is scrolled into view.
   * @param {HTMLElement} box
   * @param {string} text
   * @param {{ start: number, at: number, shade?: (i: number) => number }} options
   */
  text(box, text, { start, at, shade }) {
    while (box.children.length > text.length) box.lastElementChild?.remove();
    for (let i = 0; i < text.length; i++) {
      const shown = text[i] === "\n" ? "⏎\n" : text[i];
      const span = /** @type {HTMLElement} */ (
        box.children[i] ?? box.appendChild(element("span", {}, shown))
      );
      const look = `${i < start ? "start" : ""}${i === at ? " at" : ""}`;
      if (span.textContent !== shown) span.textContent = shown;
      if (span.className !== look) span.className = look;
      const weight = shade?.(i).toFixed(2);
      if (weight && span.style.getPropertyValue("--weight") !== weight)
        span.style.setProperty("--weight", weight);
    }
    const here = /** @type {HTMLElement | undefined} */ (box.children[at]);
    if (!here) return;
    const { offsetTop: top, offsetHeight: height } = here;
    if (top < box.scrollTop || top + height > box.scrollTop + box.clientHeight)
      box.scrollTop = top - box.clientHeight / 2;
  },

  /**
   * A picture that has a column of numbers for each character: `draw` paints only columns that have
   * changed. A number of four has the full colour.
   * @param {HTMLCanvasElement} canvas
   */
  columns(canvas) {
    const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    /** @type {WriterRow[]} */
    let painted = [];
    let look = "";
    /**
     * @param {WriterRow[]} rows
     * @param {{ numbers: (row: WriterRow) => ArrayLike<number>, room: number, colour: string, of?: string }} options
     *   `of` tells apart what else the numbers depend on
     */
    function draw(rows, { numbers, room, colour, of = "" }) {
      const height = numbers(rows[0]).length;
      const wanted = `${room} ${colour} ${of} ${document.documentElement.dataset.theme}`;
      if (look !== wanted) {
        Object.assign(canvas, { width: room, height }); // which clears it
        [look, painted] = [wanted, []];
      }
      const [red, green, blue] = explorerDrawing.ink(colour);
      rows.forEach((row, i) => {
        if (painted[i] === row) return;
        const image = context.createImageData(1, height),
          column = numbers(row);
        for (let j = 0; j < height; j++)
          image.data.set([red, green, blue, (255 * Math.abs(column[j])) / 4], 4 * j);
        context.putImageData(image, i, 0);
      });
      context.clearRect(rows.length, 0, room, height);
      painted = [...rows];
    }
    return { draw, count: () => painted.length };
  },

  /**
   * Milliseconds for one more character by the length of the text.
   * @param {{ kind: string, points: [number, number][] }[]} series
   * @param {string} label
   */
  times(series, label) {
    const width = 460,
      height = 240,
      [left, top, right, bottom] = [56, 26, 440, 190];
    const all = series.flatMap(({ points }) => points);
    const longest = Math.max(64, ...all.map(([length]) => length)),
      most = Math.max(1, ...all.map(([, ms]) => ms));
    const x = (/** @type {number} */ length) => left + ((right - left) * length) / longest,
      y = (/** @type {number} */ ms) => bottom - ((bottom - top) * ms) / most;
    const picture = svg("svg", {
      viewBox: `0 0 ${width} ${height}`,
      role: "img",
      "aria-label": label,
      class: "explorer-lines",
    });
    const text = (/** @type {Record<string, string | number>} */ at, /** @type {string} */ words) =>
      picture.append(svg("text", at, words));
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
