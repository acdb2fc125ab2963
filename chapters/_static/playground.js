// Things to try on a page: a place `<div class="playground" data-playground="attention">` gets
// sliders, a table with the numbers of each step, and a drawing. Everything is computed here, in the
// browser; the table says all that the drawing shows. Where this script does not run (a notebook in
// Jupyter), the sentence inside the place stays.
"use strict";

// ---- Building blocks ------------------------------------------------------------------------------

function element(name, properties = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key in node && key !== "list") node[key] = value;
    else node.setAttribute(key, value);
  }
  node.append(...children);
  return node;
}

function svg(name, attributes = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

const digits = (number, count = 2) => number.toFixed(count).replace(/^-(0\.?0*)$/, "$1").replace("-", "−");
const vector = (numbers) => `(${numbers.map((number) => digits(number)).join(", ")})`;
const dot = (a, b) => a.reduce((sum, number, i) => sum + number * b[i], 0);

function softmax(scores) {
  const largest = Math.max(...scores);
  const powers = scores.map((score) => (largest === -Infinity ? 0 : Math.exp(score - largest)));
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => (sum ? power / sum : 0));
}

// A labelled slider that shows its value; `form.elements[name].valueAsNumber` reads it.
function slider(name, label, { min, max, step, value, show = digits }) {
  const shown = element("span", { className: "value" }); // an <output> would be what the label names
  const input = element("input", { type: "range", name, min, max, step, value });
  const update = () => {
    shown.textContent = show(input.valueAsNumber);
    input.setAttribute("aria-valuetext", shown.textContent);
  };
  input.addEventListener("input", update);
  input.addEventListener("refresh", update);
  update();
  return element("label", {}, `${label} `, shown, input);
}

function checkbox(name, label, checked) {
  return element("label", { className: "tick" }, element("input", { type: "checkbox", name, checked }), ` ${label}`);
}

function set(form, name, value) {
  form.elements[name].value = value;
  form.elements[name].dispatchEvent(new Event("refresh"));
}

function fill(body, rows) {
  body.replaceChildren(...rows.map(([head, ...cells]) =>
    element("tr", {}, element("th", { scope: "row" }, head), ...cells.map((cell) => element("td", {}, cell)))));
}

function bar(share) {
  const filled = element("span", { className: "bar" });
  filled.style.width = `${(100 * share).toFixed(1)}%`;
  return element("span", { className: "share" }, digits(share, 3), filled);
}

// A table with a caption; returns the table and its body, which `fill` fills.
function numbers(caption, heads) {
  const body = element("tbody");
  const row = element("tr", {}, ...heads.map((head) => element("th", { scope: "col" }, head)));
  const table = element("table", {}, element("caption", {}, caption), element("thead", {}, row), body);
  return [element("div", { className: "wide", tabIndex: 0, role: "region", ariaLabel: caption }, table), body];
}

function plane(size, reach) {
  const picture = svg("svg", { viewBox: `${-reach} ${-reach} ${2 * reach} ${2 * reach}`, width: size, height: size, "aria-hidden": "true" });
  const axis = { stroke: "currentColor", "stroke-width": reach / 200, opacity: 0.4 };
  picture.append(svg("line", { x1: -reach, x2: reach, ...axis }), svg("line", { y1: -reach, y2: reach, ...axis }));
  const drawing = svg("g");
  picture.append(drawing);
  return [picture, drawing];
}

function arrow([x, y], name, reach, dashed = false) {
  const line = { x2: x, y2: -y, stroke: "currentColor", "stroke-width": reach / 60 };
  if (dashed) line["stroke-dasharray"] = reach / 20;
  const size = reach / 8, length = Math.hypot(x, y) || 1; // the name stands beyond the tip
  const text = { x: x + (1.4 * size * x) / length, y: 0.35 * size - y - (1.1 * size * y) / length, "font-size": size, fill: "currentColor", "text-anchor": "middle" };
  return svg("g", {}, svg("line", line), svg("circle", { cx: x, cy: -y, r: reach / 35, fill: "currentColor" }), svg("text", text, name));
}

// ---- Chapter 1: attention of one query ------------------------------------------------------------

const TOKENS = [
  { name: "time", key: [2.0, 0.5], value: [1.0, 0.0] },
  { name: "flies", key: [0.5, 2.0], value: [0.0, 1.0] },
  { name: "like", key: [-1.5, 0.5], value: [-1.0, 0.0] },
  { name: "arrow", key: [1.0, -1.5], value: [0.0, -1.0] },
];

function attention(form, result) {
  form.append(
    slider("q1", "query, first number", { min: -3, max: 3, step: 0.1, value: 1 }),
    slider("q2", "query, second number", { min: -3, max: 3, step: 0.1, value: 1 }),
    checkbox("scaled", "divide by √d_k = √2", true),
    ...TOKENS.map(({ name }, i) => checkbox(`hidden${i}`, `hide “${name}”`, false)),
  );
  const [table, body] = numbers("One query and four keys", ["token", "key", "query · key", "scaled", "weight", "value"]);
  const [picture, drawing] = plane(260, 3.4);
  const sentence = element("p", { role: "status" });
  result.append(table, picture, sentence);
  return () => {
    const query = [form.elements.q1.valueAsNumber, form.elements.q2.valueAsNumber];
    const products = TOKENS.map(({ key }) => dot(query, key));
    const scores = products.map((product, i) => {
      if (form.elements[`hidden${i}`].checked) return -Infinity;
      return form.elements.scaled.checked ? product / Math.SQRT2 : product;
    });
    const weights = softmax(scores);
    const output = [0, 1].map((i) => dot(weights, TOKENS.map(({ value }) => value[i])));
    fill(body, TOKENS.map(({ name, key, value }, i) =>
      [name, vector(key), digits(products[i]), scores[i] === -Infinity ? "−∞" : digits(scores[i]), bar(weights[i]), vector(value)]));
    drawing.replaceChildren(...TOKENS.map(({ name, key }) => arrow(key, name, 3.4, true)), arrow(query, "query", 3.4));
    sentence.textContent = `Output: ${vector(output)}, the average of the values with these weights. ` +
      (weights.some(Boolean) ? `The weights sum to ${digits(weights.reduce((a, b) => a + b))}.` : "Everything is hidden: the weights are zero.");
  };
}

// ---- Chapter 5: rotary positions ------------------------------------------------------------------

const PAIRS = [
  { angle: 1, query: [1.0, 0.6], key: [0.8, -0.4] },
  { angle: 0.1, query: [0.5, 1.0], key: [1.0, 0.7] },
];

const turned = ([x, y], angle) =>
  [x * Math.cos(angle) - y * Math.sin(angle), x * Math.sin(angle) + y * Math.cos(angle)];

function rotary(form, result) {
  const whole = { min: 0, max: 60, step: 1, show: (number) => String(number) };
  const both = element("button", { type: "button" }, "move both by 10");
  form.append(
    slider("m", "position of the query", { ...whole, value: 5 }),
    slider("n", "position of the key", { ...whole, value: 2 }),
    both,
  );
  const [table, body] = numbers("Two pairs of numbers, each turned at its own speed",
    ["pair", "turn per position", "query turned", "key turned", "their dot product"]);
  const pictures = PAIRS.map(() => plane(200, 1.6));
  const sentence = element("p", { role: "status" });
  result.append(table, ...pictures.map(([picture]) => picture), sentence);
  both.addEventListener("click", () => {
    const step = Math.max(form.elements.m.valueAsNumber, form.elements.n.valueAsNumber) + 10 > 60 ? -10 : 10;
    const low = Math.min(form.elements.m.valueAsNumber, form.elements.n.valueAsNumber);
    for (const name of ["m", "n"]) {
      set(form, name, form.elements[name].valueAsNumber + (low + step < 0 ? 0 : step));
    }
    form.dispatchEvent(new Event("input"));
  });
  return () => {
    const m = form.elements.m.valueAsNumber, n = form.elements.n.valueAsNumber;
    let score = 0;
    fill(body, PAIRS.map(({ angle, query, key }, i) => {
      const q = turned(query, m * angle), k = turned(key, n * angle);
      pictures[i][1].replaceChildren(arrow(q, "query", 1.6), arrow(k, "key", 1.6, true));
      score += dot(q, k);
      return [`${i + 1}`, `${digits(angle, 1)} rad`, vector(q), vector(k), digits(dot(q, k))];
    }));
    sentence.textContent = `Score: ${digits(score)}. Distance: ${String(m - n).replace("-", "−")}. ` +
      "Move both by the same amount: the arrows turn, the score stays.";
  };
}

// ---- Chapter 8: choosing the next token -----------------------------------------------------------

const NEXT = [["arrow", 3.2], ["eagle", 2.4], ["hour", 1.9], ["old", 1.2], ["instant", 0.8], ["insect", 0.1], ["echo", -0.6], ["onion", -2.0]];

// As `generate` does: temperature, then top-k, then the fewest tokens that reach top-p.
function probabilities(logits, temperature, k, p) {
  const scaled = logits.map((logit) => logit / temperature);
  const order = scaled.map((_, i) => i).sort((a, b) => scaled[b] - scaled[a]).slice(0, k);
  const first = softmax(order.map((i) => scaled[i]));
  let before = 0;
  const kept = new Set(order.filter((_, rank) => {
    const keep = rank === 0 || before < p;
    before += first[rank];
    return keep;
  }));
  return softmax(scaled.map((logit, i) => (kept.has(i) ? logit : -Infinity)));
}

function sampling(form, result) {
  const draw = element("button", { type: "button" }, "draw 100 tokens");
  form.append(
    slider("temperature", "temperature", { min: 0.1, max: 3, step: 0.1, value: 1, show: (x) => digits(x, 1) }),
    slider("k", "top-k", { min: 1, max: NEXT.length, step: 1, value: NEXT.length, show: String }),
    slider("p", "top-p", { min: 0.05, max: 1, step: 0.05, value: 1 }),
    draw,
  );
  const [table, body] = numbers("“time flies like an …”: what comes next?", ["token", "logit", "probability", "drawn"]);
  const sentence = element("p", { role: "status" });
  result.append(table, sentence);
  let drawn = NEXT.map(() => 0);
  let shares = [];
  const show = () => {
    fill(body, NEXT.map(([name, logit], i) =>
      [name, digits(logit, 1), shares[i] ? bar(shares[i]) : "left out", String(drawn[i])]));
    const entropy = -shares.reduce((sum, share) => sum + (share ? share * Math.log(share) : 0), 0);
    sentence.textContent = `${shares.filter(Boolean).length} tokens can be drawn; it is as uncertain as a choice among ` +
      `${digits(Math.exp(entropy), 1)} equally likely ones.`;
  };
  draw.addEventListener("click", () => {
    for (let i = 0; i < 100; i++) {
      let left = Math.random();
      const index = shares.findIndex((share) => (left -= share) < 0);
      drawn[index < 0 ? shares.indexOf(Math.max(...shares)) : index] += 1;
    }
    show();
  });
  return () => {
    const { temperature, k, p } = form.elements;
    shares = probabilities(NEXT.map(([, logit]) => logit), temperature.valueAsNumber, k.valueAsNumber, p.valueAsNumber);
    drawn = NEXT.map(() => 0);
    show();
  };
}

// ---- On the page ----------------------------------------------------------------------------------

const PLAYGROUNDS = { attention, rotary, sampling };

document.addEventListener("DOMContentLoaded", () => {
  for (const place of document.querySelectorAll("[data-playground]")) {
    const form = element("form", { className: "controls" });
    const result = element("div", { className: "result" });
    form.addEventListener("submit", (event) => event.preventDefault());
    const update = PLAYGROUNDS[place.dataset.playground](form, result);
    form.addEventListener("input", update);
    place.replaceChildren(form, result);
    update();
  }
});
