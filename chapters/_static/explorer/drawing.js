// @ts-check
// What the explorer draws: a map, small and large, a vector, and lines from layer to layer. Nothing
// here computes. Colours are classes, so that they follow the page's scheme; `element`, `svg` and
// `digits` are those of playgrounds/parts.js.
"use strict";

const explorerDrawing = {
  // A colour of the page's scheme, which is written #rrggbb, as three numbers. To ask the page takes
  // time, so what it said is kept.
  /** @type {Record<string, number[]>} */
  inks: {},
  /** @param {string} name */
  ink(name) {
    const key = `${name} ${document.documentElement.dataset.theme}`;
    explorerDrawing.inks[key] ??= (() => {
      const place = /** @type {Element} */ (document.querySelector("[data-explorer]"));
      const colour = getComputedStyle(place).getPropertyValue(name).trim();
      return [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
    })();
    return explorerDrawing.inks[key];
  },

  /**
   * A picture with one pixel for each number, in a colour of the page: the larger, the fuller.
   * @param {HTMLCanvasElement} canvas
   * @param {ArrayLike<number>} shares from 0 to 1, row after row
   * @param {number} width
   * @param {string} [colour]
   */
  pixels(canvas, shares, width, colour = "--query") {
    const height = shares.length / width;
    if (canvas.width !== width || canvas.height !== height)
      Object.assign(canvas, { width, height });
    const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d")),
      image = context.createImageData(width, height);
    const [red, green, blue] = explorerDrawing.ink(colour),
      { data } = image;
    for (let i = 0, at = 0; i < shares.length; i++) {
      data[at++] = red;
      data[at++] = green;
      data[at++] = blue;
      data[at++] = 255 * shares[i];
    }
    context.putImageData(image, 0, 0);
  },

  /**
   * A map as a table: rows look at columns. The arrow keys move between its cells; `tell` is called
   * with the row and the column that is pointed at, or has the keyboard. `show` fills it with weights.
   * @param {string[]} tokens
   * @param {{ caption: string, tell: (query: number, key: number) => void }} options
   */
  map(tokens, { caption, tell }) {
    const count = tokens.length,
      few = count <= 14;
    const cells = tokens.map(() => tokens.map(() => element("td", { tabIndex: -1 })));
    const rows = tokens.map((token, q) =>
      element("tr", {}, element("th", { scope: "row" }, token), ...cells[q]),
    );
    const columns = tokens.map((token) =>
      element("th", { scope: "col" }, element("span", {}, token)),
    );
    const table = element(
      "table",
      { className: `explorer-map${few ? "" : " many"}`, role: "grid" },
      element("caption", {}, caption),
      element("thead", {}, element("tr", {}, element("td"), ...columns)),
      element("tbody", {}, ...rows),
    );
    /** @param {EventTarget | null} target */
    const place = (target) => {
      const q = target instanceof Element ? rows.findIndex((row) => row.contains(target)) : -1;
      return [q, q < 0 ? -1 : cells[q].indexOf(/** @type {HTMLTableCellElement} */ (target))];
    };
    /** @param {Event} event */
    const point = ({ target }) => {
      const [q, k] = place(target);
      if (k >= 0) tell(q, k);
    };
    table.addEventListener("pointerover", point);
    table.addEventListener("focusin", point);
    onArrows(table, (down, right, target) => {
      const [q, k] = place(target);
      if (k < 0) return;
      const within = (/** @type {number} */ i) => Math.min(count - 1, Math.max(0, i));
      cells[q][k].tabIndex = -1;
      const next = cells[within(q + down)][within(k + right)];
      next.tabIndex = 0;
      next.focus();
    });

    /**
     * @param {ArrayLike<number>} weights
     * @param {number} followed a row
     */
    const show = (weights, followed) => {
      const had = document.activeElement;
      cells.forEach((row, q) => {
        rows[q].className = q === followed ? "followed" : "";
        row.forEach((cell, k) => {
          const weight = weights[q * count + k],
            text = digits(weight);
          if (few) cell.textContent = text;
          cell.setAttribute(
            "aria-label",
            `${isolated(tokens[q])} looks at ${isolated(tokens[k])}: ${text}`,
          );
          cell.style.setProperty("--weight", weight.toFixed(2));
          cell.tabIndex = cell === had || (!table.contains(had) && q === followed && !k) ? 0 : -1;
        });
      });
    };
    return { table, show };
  },

  /**
   * A vector as bars, up for positive numbers and down for negative ones. One that can be explored
   * is a slider: pointer and arrow keys choose a number, which is read out below.
   * @param {ArrayLike<number>} numbers
   * @param {{ role: string, name?: string, small?: boolean }} options the role is a colour
   */
  vector(numbers, { role, name = "", small = false }) {
    const values = Array.from(numbers);
    const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-9);
    const bars = values
      .map((value, i) => `M${i} 1h.8v${(-value / largest).toFixed(3)}h-.8z`)
      .join("");
    const picture = svg(
      "svg",
      { viewBox: `0 0 ${values.length} 2`, preserveAspectRatio: "none", "aria-hidden": "true" },
      svg("path", { d: bars }),
    );
    const strip = element(
      "div",
      { className: `explorer-vector ${role}${small ? " small" : ""}` },
      picture,
    );
    if (small) return strip;
    const mark = svg("rect", { width: 1, height: 2, class: "mark", x: -1 });
    picture.append(mark);
    const label = `${name}: ${values.length} numbers from ${digits(Math.min(...values))} to ${digits(Math.max(...values))}`;
    const shown = element("p", { className: "explorer-value" }, `${label}.`);
    /** @param {number} wanted */
    const choose = (wanted) => {
      const i = Math.max(0, Math.min(values.length - 1, wanted));
      const said = `number ${i + 1} of ${values.length}: ${digits(values[i])}`;
      mark.setAttribute("x", `${i}`);
      strip.setAttribute("aria-valuenow", `${i + 1}`);
      strip.setAttribute("aria-valuetext", said);
      shown.textContent = `${name}, ${said}.`;
    };
    const attributes = {
      role: "slider",
      tabindex: 0,
      "aria-label": label,
      "aria-valuemin": 1,
      "aria-valuemax": values.length,
      "aria-valuenow": 1,
      "aria-valuetext": `${digits(values[0])}`,
    };
    for (const [key, value] of Object.entries(attributes)) strip.setAttribute(key, `${value}`);
    /** @param {PointerEvent} event */
    const point = ({ clientX }) => {
      const { left, width } = strip.getBoundingClientRect();
      choose(Math.floor(((clientX - left) / width) * values.length));
    };
    strip.addEventListener("pointerdown", point);
    strip.addEventListener("pointermove", point);
    strip.addEventListener("keydown", (event) => {
      const step = {
        ArrowRight: 1,
        ArrowUp: 1,
        ArrowLeft: -1,
        ArrowDown: -1,
        PageUp: 16,
        PageDown: -16,
        Home: -1e4,
        End: 1e4,
      }[event.key];
      if (!step) return;
      event.preventDefault();
      event.stopPropagation(); // the arrows step through the vector, not through the computation
      choose(Number(strip.getAttribute("aria-valuenow")) - 1 + step);
    });
    return element("div", { className: "explorer-strip" }, strip, shown);
  },

  /**
   * Lines over the layers, all of the same length; between the numbers low and high, with a grid
   * line every step.
   * @param {{ short: string, values: number[], kind: string }[]} lines
   * @param {string} label
   * @param {{ low: number, high: number, step: number }} axis
   */
  lines(lines, label, { low, high, step }) {
    const width = 460,
      height = 250,
      [left, top, right, bottom] = [56, 12, 305, 205];
    const count = lines[0].values.length;
    const x = (/** @type {number} */ i) => left + ((right - left) * i) / (count - 1);
    const y = (/** @type {number} */ value) =>
      bottom - ((bottom - top) * (value - low)) / (high - low);
    const picture = svg("svg", {
      viewBox: `0 0 ${width} ${height}`,
      role: "img",
      "aria-label": label,
      class: "explorer-lines",
    });
    const text = (/** @type {Record<string, string | number>} */ at, /** @type {string} */ words) =>
      picture.append(svg("text", at, words));
    for (let value = Math.ceil(low / step) * step; value <= high + 1e-9; value += step) {
      picture.append(
        svg("line", { x1: left, x2: right, y1: y(value), y2: y(value), class: "grid" }),
      );
      text({ x: left - 6, y: y(value) + 4, "text-anchor": "end" }, digits(value));
    }
    const middle = { "text-anchor": "middle" };
    lines[0].values.forEach((_, i) =>
      text({ x: x(i), y: bottom + 18, ...middle }, i ? `${i}` : "before"),
    );
    text({ x: (left + right) / 2, y: bottom + 38, ...middle }, "after so many layers");
    // Names at the ends of the lines, moved apart where they would overlap, each with a thread to its end.
    const ends = lines
      .map(({ values }, i) => ({ i, end: y(values[count - 1]), at: y(values[count - 1]) }))
      .sort((a, b) => a.at - b.at);
    ends.forEach((end, i) => {
      if (i) end.at = Math.max(end.at, ends[i - 1].at + 17);
    });
    const over = Math.max(0, ends[ends.length - 1].at - bottom);
    for (const { i, end, at } of ends) {
      const { short, values, kind } = lines[i];
      const points = values.map((value, layer) => `${x(layer)},${y(value)}`).join(" ");
      picture.append(svg("polyline", { points, class: kind }));
      values.forEach((value, layer) =>
        picture.append(svg("circle", { cx: x(layer), cy: y(value), r: 3.5, class: kind })),
      );
      const thread = `${right + 5},${end} ${right + 14},${at - over} ${right + 18},${at - over}`;
      picture.append(svg("polyline", { points: thread, class: `${kind} thread` }));
      text({ x: right + 22, y: at - over + 4, class: kind }, short);
    }
    return picture;
  },
};
