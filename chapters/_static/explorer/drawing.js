// What the explorer draws: a map, small and large, a vector, and lines from layer to layer. Nothing
// here computes. Colours are classes, so that they follow the page's scheme; `element`, `svg` and
// `digits` are those of playgrounds/parts.js.
"use strict";

const explorerDrawing = {
  // A colour of the page's scheme, which is written #rrggbb, as three numbers. To ask the page takes
  // time, so what it said is kept.
  inks: {},
  ink(name) {
    const key = `${name} ${document.documentElement.dataset.theme}`;
    explorerDrawing.inks[key] ??= (() => {
      const colour = getComputedStyle(document.querySelector("[data-explorer]"))
        .getPropertyValue(name)
        .trim();
      return [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
    })();
    return explorerDrawing.inks[key];
  },

  // A map of tokens × tokens as a picture with one pixel for each weight.
  thumbnail(canvas, map, tokens) {
    if (canvas.width !== tokens) canvas.width = canvas.height = tokens;
    const context = canvas.getContext("2d"),
      image = context.createImageData(tokens, tokens);
    const ink = explorerDrawing.ink("--query");
    map.forEach((weight, i) => image.data.set([...ink, 255 * weight], 4 * i));
    context.putImageData(image, 0, 0);
  },

  // A map as a table: rows look at columns. The arrow keys move between its cells; `tell` is called
  // with the row and the column that is pointed at, or has the keyboard.
  map(tokens, map, { caption, row: marked, tell }) {
    const count = tokens.length,
      few = count <= 14;
    const columns = tokens.map((token) =>
      element("th", { scope: "col" }, element("span", {}, token)),
    );
    const rows = tokens.map((token, q) =>
      element(
        "tr",
        { className: q === marked ? "followed" : "" },
        element("th", { scope: "row" }, token),
        ...tokens.map((other, k) => {
          const weight = map[q * count + k];
          const cell = element(
            "td",
            { tabIndex: q === marked && k === 0 ? 0 : -1 },
            few ? digits(weight) : "",
          );
          cell.setAttribute("aria-label", `${token} looks at ${other}: ${digits(weight)}`);
          cell.style.setProperty("--weight", weight.toFixed(3));
          return cell;
        }),
      ),
    );
    const table = element(
      "table",
      { className: `explorer-map${few ? "" : " many"}` },
      element("caption", {}, caption),
      element("thead", {}, element("tr", {}, element("td"), ...columns)),
      element("tbody", {}, ...rows),
    );
    table.setAttribute("role", "grid");
    const place = (cell) => [cell.parentNode.sectionRowIndex, cell.cellIndex - 1];
    const point = ({ target }) => {
      const cell = target.closest("tbody td");
      if (cell) tell(...place(cell));
    };
    table.addEventListener("pointerover", point);
    table.addEventListener("focusin", point);
    table.addEventListener("keydown", (event) => {
      const move = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[
        event.key
      ];
      const cell = event.target.closest("tbody td");
      if (!move || !cell) return;
      event.preventDefault();
      const [q, k] = place(cell).map((at, i) => Math.min(count - 1, Math.max(0, at + move[i])));
      const next = table.tBodies[0].rows[q].cells[k + 1];
      cell.tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
    });
    return table;
  },

  // A vector as bars, up for positive numbers and down for negative ones. One that can be explored
  // is a slider: pointer and arrow keys choose a number, which is read out below.
  vector(values, { role, name, small = false }) {
    const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-9);
    const bars = Array.from(
      values,
      (value, i) => `M${i} 1h.8v${(-value / largest).toFixed(3)}h-.8z`,
    ).join("");
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
    const range = [...values].reduce(
      ([low, high], value) => [Math.min(low, value), Math.max(high, value)],
      [Infinity, -Infinity],
    );
    const label = `${name}: ${values.length} numbers from ${digits(range[0])} to ${digits(range[1])}`;
    const shown = element("p", { className: "explorer-value" }, `${label}.`);
    const choose = (i) => {
      const said = `number ${i + 1} of ${values.length}: ${digits(values[i], 3)}`;
      mark.setAttribute("x", i);
      strip.setAttribute("aria-valuenow", i + 1);
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
      "aria-valuetext": `${digits(values[0], 3)}`,
    };
    for (const [key, value] of Object.entries(attributes)) strip.setAttribute(key, value);
    const point = ({ clientX }) => {
      const { left, width } = strip.getBoundingClientRect();
      choose(
        Math.max(
          0,
          Math.min(values.length - 1, Math.floor(((clientX - left) / width) * values.length)),
        ),
      );
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
      choose(
        Math.max(
          0,
          Math.min(values.length - 1, Number(strip.getAttribute("aria-valuenow")) - 1 + step),
        ),
      );
    });
    return element("div", { className: "explorer-strip" }, strip, shown);
  },

  // Lines over the layers: each { short, values, kind }, all of the same length; between the numbers
  // low and high, with a grid line every step.
  lines(lines, label, { low, high, step }) {
    const width = 460,
      height = 250,
      [left, top, right, bottom] = [56, 12, 305, 205];
    const x = (i, count) => left + ((right - left) * i) / (count - 1);
    const y = (value) => bottom - ((bottom - top) * (value - low)) / (high - low);
    const picture = svg("svg", {
      viewBox: `0 0 ${width} ${height}`,
      role: "img",
      "aria-label": label,
      class: "explorer-lines",
    });
    const text = (at, words, more = {}) => picture.append(svg("text", { ...at, ...more }, words));
    for (let value = Math.ceil(low / step) * step; value <= high + 1e-9; value += step) {
      picture.append(
        svg("line", { x1: left, x2: right, y1: y(value), y2: y(value), class: "grid" }),
      );
      text({ x: left - 6, y: y(value) + 4 }, digits(value), { "text-anchor": "end" });
    }
    const count = lines[0].values.length;
    lines[0].values.forEach((_, i) =>
      text({ x: x(i, count), y: bottom + 18 }, i ? `${i}` : "before", { "text-anchor": "middle" }),
    );
    text({ x: (left + right) / 2, y: bottom + 38 }, "after so many layers", {
      "text-anchor": "middle",
    });
    // Names at the ends of the lines, moved apart where they would overlap.
    const ends = lines
      .map(({ values }, i) => ({ i, at: y(values.at(-1)) }))
      .sort((a, b) => a.at - b.at);
    ends.forEach((end, i) => {
      if (i) end.at = Math.max(end.at, ends[i - 1].at + 17);
    });
    const over = Math.max(0, ends.at(-1).at - bottom);
    for (const { i, at } of ends) {
      const { short, values, kind } = lines[i];
      const points = values.map((value, layer) => `${x(layer, count)},${y(value)}`).join(" ");
      picture.append(svg("polyline", { points, class: kind }));
      values.forEach((value, layer) =>
        picture.append(svg("circle", { cx: x(layer, count), cy: y(value), r: 3.5, class: kind })),
      );
      text({ x: right + 10, y: at - over + 4 }, short, { class: kind });
    }
    return picture;
  },
};
