// @ts-check
// What playgrounds draw with: a plane with arrows that can be dragged, and lines over an axis. Sizes of
// letters are those of the screen, however large the drawing is there; a label looks for a place where
// it is whole and covers no other. Colours are classes, so that they follow the page's scheme.
"use strict";

const LETTERS = 12.5; // pixels on the screen
const measure = /** @type {CanvasRenderingContext2D} */ (
  document.createElement("canvas").getContext("2d")
);

/**
 * Points are [x, y], in the numbers that are drawn; boxes are [left, top, right, bottom].
 * @typedef {{ text: string, at: number[], from: number[], role: string }} DrawnLabel
 * @typedef {{ to: number[], role: string, name?: string, width?: number, dashed?: boolean, held?: boolean, from?: number[] }} DrawnArrow
 * @typedef {(at: (point: number[]) => number[], pixel: number) => SVGElement[]} DrawnShapes
 * @typedef {{ points: number[][], role: string, name?: string, dashed?: boolean }} DrawnLine
 * @typedef {{ at: number[], role: string }} DrawnMark
 * @typedef {{ at: number, role: string }} DrawnRule
 */

/**
 * How wide a text is, in letters of the given size.
 * @param {string} text
 * @param {number} size
 */
function width(text, size) {
  measure.font = `${size}px ${getComputedStyle(document.body).fontFamily}`;
  return measure.measureText(text).width;
}

/**
 * A titled drawing; what it shows stands in the tables and the sentence, so it is hidden from readers
 * of the screen. `draw` is called again when its size changes.
 * @param {string} title
 * @param {{ width: number, height: number }} box
 * @param {() => void} draw
 */
function sheet(title, box, draw) {
  const picture = svg("svg", { viewBox: `0 0 ${box.width} ${box.height}`, "aria-hidden": "true" });
  const frame = element(
    "div",
    { className: box.width < 300 ? "drawing square" : "drawing" },
    element("p", { className: "title" }, title),
    picture,
  );
  let drawn = 0;
  new ResizeObserver(([{ contentRect }]) => {
    if (contentRect.width && Math.abs(contentRect.width - drawn) > 1) draw();
    drawn = contentRect.width;
  }).observe(picture);
  const unit = () => box.width / (picture.getBoundingClientRect().width || box.width); // of a pixel
  return { frame, picture, unit };
}

/**
 * Each label goes to the nearest place beyond `at`, seen from `from`, that is inside the box and free.
 * @param {DrawnLabel[]} labels
 * @param {{ width: number, height: number }} box
 * @param {number} size
 * @param {number[][]} taken boxes that nothing should cover
 */
function label(labels, box, size, taken = []) {
  const overlap = (/** @type {number[]} */ a, /** @type {number[]} */ b) =>
    a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
  /** @type {number[][]} */
  const placed = [];
  return labels.map(({ text, at, from, role }) => {
    const half = [width(text, size) / 2 + size / 6, 0.62 * size];
    const outward = Math.atan2(at[1] - from[1], at[0] - from[0] || 1e-9);
    /** @type {number[] | undefined} */
    let best;
    /** @type {number[] | undefined} */
    let second;
    search: for (let far = 0.35; far < 16; far += 0.6) {
      for (let turn = 0; turn <= 8; turn += 1) {
        for (const side of turn % 8 ? [1, -1] : [1]) {
          const angle = outward + (side * turn * Math.PI) / 8,
            [dx, dy] = [Math.cos(angle), Math.sin(angle)];
          const reach =
            Math.min(
              half[0] / Math.max(Math.abs(dx), 1e-9),
              half[1] / Math.max(Math.abs(dy), 1e-9),
            ) +
            far * size;
          const [x, y] = [at[0] + reach * dx, at[1] + reach * dy];
          const own = [x - half[0], y - half[1], x + half[0], y + half[1]];
          if (own[0] < 0 || own[1] < 0 || own[2] > box.width || own[3] > box.height) continue;
          if (placed.some((other) => overlap(own, other))) continue;
          second ??= own;
          if (taken.some((other) => overlap(own, other))) continue;
          best = own;
          break search;
        }
      }
    }
    best ??= second;
    if (!best) return svg("g"); // the table names it
    placed.push(best);
    const place = {
      x: (best[0] + best[2]) / 2,
      y: best[1] + half[1] + 0.36 * size,
      "font-size": size,
      "text-anchor": "middle",
      class: role,
    };
    return svg("text", place, text);
  });
}

/**
 * A plane around 0, square unless less of it is wanted below 0. `show` takes arrows and further shapes
 * made with `at`; `drag` calls back with the numbers under the pointer.
 * @param {string} title
 * @param {number} reach
 */
function plane(title, reach, below = 1) {
  const box = { width: 200, height: 100 * (1 + below) };
  /** @type {DrawnArrow[]} */
  let arrows = [];
  /** @type {DrawnShapes} */
  let shapes = () => [];
  const { frame, picture, unit } = sheet(title, box, () => draw());
  const at = (/** @type {number[]} */ [x, y]) => [100 + (100 * x) / reach, 100 - (100 * y) / reach];
  const drawing = svg("g"),
    handle = svg("circle", { class: "handle", r: 0 });
  picture.append(
    svg("line", { x1: 0, x2: 200, y1: 100, y2: 100, class: "axis" }),
    svg("line", { y1: 0, y2: box.height, x1: 100, x2: 100, class: "axis" }),
    drawing,
    handle,
  );

  function draw() {
    const pixel = unit();
    /** @type {DrawnLabel[]} */
    const labels = [];
    /** @type {number[][]} */
    const tips = [];
    const lines = arrows.map(
      ({ to, from = [0, 0], role, name, width: thick = 2, dashed, held }) => {
        const [x1, y1] = at(from),
          [x2, y2] = at(to),
          wide = thick * pixel;
        const length = Math.hypot(x2 - x1, y2 - y1),
          head = Math.min(length, wide * 1.5 + 5 * pixel);
        const [dx, dy] = length ? [(x2 - x1) / length, (y2 - y1) / length] : [0, 0],
          back = [x2 - head * dx, y2 - head * dy];
        const radius = (held ? 9 : 4) * pixel;
        tips.push([x2 - radius, y2 - radius, x2 + radius, y2 + radius]);
        for (let part = 0.4; part < 1; part += 0.15) {
          // a label covers an arrow only where it must
          const [x, y] = [x1 + part * (x2 - x1), y1 + part * (y2 - y1)];
          tips.push([x - wide / 2, y - wide / 2, x + wide / 2, y + wide / 2]);
        }
        if (name) labels.push({ text: name, at: [x2, y2], from: [x1, y1], role });
        if (held)
          Object.entries({ cx: x2, cy: y2, r: radius }).forEach(([key, value]) =>
            handle.setAttribute(key, `${value}`),
          );
        const line = svg("line", { x1, y1, x2: back[0], y2: back[1], "stroke-width": wide });
        if (dashed) line.setAttribute("stroke-dasharray", `${4 * pixel} ${3 * pixel}`);
        const side = wide / 2 + 2.5 * pixel;
        const points = [
          [x2, y2],
          [back[0] - side * dy, back[1] + side * dx],
          [back[0] + side * dy, back[1] - side * dx],
        ];
        return svg(
          "g",
          { class: `arrow ${role}` },
          line,
          svg("polygon", { points: points.join(" ") }),
        );
      },
    );
    drawing.replaceChildren(
      ...shapes(at, pixel),
      ...lines,
      ...label(labels, box, LETTERS * pixel, tips),
    );
  }

  return {
    frame,
    /**
     * @param {DrawnArrow[]} things
     * @param {DrawnShapes} more
     */
    show(things, more = () => []) {
      [arrows, shapes] = [things, more];
      draw();
    },
    /**
     * A finger that begins beside the handle scrolls the page; a mouse takes hold anywhere.
     * @param {(point: number[]) => void} move
     */
    drag(move) {
      picture.classList.add("draggable");
      /** @type {number | null} */
      let held = null;
      const follow = (/** @type {PointerEvent} */ { clientX, clientY }) => {
        const { left, top, width: wide, height } = picture.getBoundingClientRect();
        move([
          reach * ((2 * (clientX - left)) / wide - 1),
          (reach * (100 - (box.height * (clientY - top)) / height)) / 100,
        ]);
      };
      picture.addEventListener("pointerdown", (event) => {
        if (event.pointerType === "touch" && event.target !== handle) return;
        event.preventDefault();
        held = event.pointerId;
        picture.setPointerCapture(held);
        follow(event);
      });
      handle.addEventListener("touchstart", (event) => event.preventDefault(), { passive: false });
      picture.addEventListener("pointermove", (event) => event.pointerId === held && follow(event));
      for (const end of ["pointerup", "pointercancel"])
        picture.addEventListener(end, () => (held = null));
    },
  };
}

/**
 * A line of a chart.
 * @param {string} name
 * @param {string} role
 * @param {number[][]} points
 */
const curve = (name, role, points, dashed = false) => ({ name, role, points, dashed });

/**
 * Lines over an axis. `show` takes lines, marks and upright rules; names, for which there is room, stand
 * at the right ends, and that of a line that ends earlier stands where it ends.
 * @param {string} title
 * @param {{ x: number[], y: number[], xTicks: [number, string][], yTicks: [number, string][], xLabel?: string, height?: number, names?: string[] }} options
 */
function chart(title, { x, y, xTicks, yTicks, xLabel, height = 150, names = [] }) {
  const box = { width: 320, height };
  /** @type {DrawnLine[]} */
  let lines = [];
  /** @type {DrawnMark[]} */
  let marks = [];
  /** @type {DrawnRule[]} */
  let rules = [];
  const { frame, picture, unit } = sheet(title, box, () => draw());

  function draw() {
    const size = LETTERS * unit(),
      pixel = unit();
    const left = Math.max(...yTicks.map(([, text]) => width(text, size))) + 0.8 * size;
    const right =
      box.width -
      Math.max(
        width(xTicks[xTicks.length - 1][1], size) / 2,
        ...names.map((name) => width(name, size) + 0.7 * size),
      );
    const top = 0.7 * size,
      bottom = height - (xLabel ? 3 : 1.7) * size;
    const across = (/** @type {number} */ value) =>
      left + ((right - left) * (value - x[0])) / (x[1] - x[0]);
    const up = (/** @type {number} */ value) =>
      bottom - ((bottom - top) * (Math.min(y[1], Math.max(y[0], value)) - y[0])) / (y[1] - y[0]);
    const text = (
      /** @type {string} */ words,
      /** @type {Record<string, string | number>} */ place,
    ) => svg("text", { "font-size": size, ...place }, words);
    const grid = yTicks.flatMap(([value, words]) => [
      svg("line", { x1: left, x2: right, y1: up(value), y2: up(value), class: "axis" }),
      text(words, { x: left - 0.4 * size, y: up(value) + 0.35 * size, "text-anchor": "end" }),
    ]);
    const ticks = xTicks.map(([value, words]) =>
      text(words, { x: across(value), y: bottom + 1.3 * size, "text-anchor": "middle" }),
    );
    if (xLabel)
      ticks.push(
        text(xLabel, { x: (left + right) / 2, y: bottom + 2.6 * size, "text-anchor": "middle" }),
      );
    const early = lines.filter(({ name, points }) => name && points[points.length - 1][0] < x[1]);
    const ends = lines
      .filter((line) => line.name && !early.includes(line))
      .map((line) => ({ line, at: up(line.points[line.points.length - 1][1]) }))
      .sort((a, b) => a.at - b.at);
    ends.forEach((end, i) => {
      if (i) end.at = Math.max(end.at, ends[i - 1].at + 1.15 * size);
    });
    for (let i = ends.length - 1, low = bottom; i >= 0; i -= 1, low -= 1.15 * size)
      ends[i].at = Math.min(ends[i].at, low);
    picture.replaceChildren(
      ...grid,
      ...ticks,
      ...rules.map(({ at, role }) =>
        svg("line", {
          x1: across(at),
          x2: across(at),
          y1: top,
          y2: bottom,
          class: `rule ${role}`,
          "stroke-width": 1.5 * pixel,
        }),
      ),
      ...lines.map(({ points, role, dashed }) => {
        const line = svg("polyline", {
          points: points.map(([a, b]) => `${across(a).toFixed(2)},${up(b).toFixed(2)}`).join(" "),
          class: `line ${role}`,
          "stroke-width": 2 * pixel,
        });
        if (dashed) line.setAttribute("stroke-dasharray", `${5 * pixel} ${3 * pixel}`);
        return line;
      }),
      ...marks.map(({ at, role }) =>
        svg("circle", { cx: across(at[0]), cy: up(at[1]), r: 5 * pixel, class: `mark ${role}` }),
      ),
      ...label(
        early.map(({ name, points, role }) => {
          const [before, end] = points.slice(-2).map(([a, b]) => [across(a), up(b)]);
          return { text: `${name}`, at: end, from: before, role };
        }),
        box,
        size,
      ),
      ...ends.map(({ line, at }) =>
        text(`${line.name}`, { x: right + 0.5 * size, y: at + 0.35 * size, class: line.role }),
      ),
    );
  }

  return {
    frame,
    /**
     * @param {DrawnLine[]} drawn
     * @param {DrawnMark[]} dots
     * @param {DrawnRule[]} upright
     */
    show(drawn, dots = [], upright = []) {
      [lines, marks, rules] = [drawn, dots, upright];
      draw();
    },
  };
}
