// @ts-check
// What playgrounds and the page "See it think" are made of: elements, numbers as text, controls, tables.
// Nothing here knows of a particular page.
"use strict";

/**
 * An element with its properties or, where it has none of that name, attributes.
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Record<string, unknown>} properties
 * @param {(Node | string)[]} children
 */
function element(name, properties = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key in node && key !== "list") Object.assign(node, { [key]: value });
    else node.setAttribute(key, `${value}`);
  }
  node.append(...children);
  return node;
}

/**
 * @template {keyof SVGElementTagNameMap} Name
 * @param {Name} name
 * @param {Record<string, string | number>} attributes
 * @param {(Node | string)[]} children
 */
function svg(name, attributes = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, `${value}`);
  node.append(...children);
  return node;
}

const digits = (/** @type {number} */ number, count = 2) =>
  number
    .toFixed(count)
    .replace(/^-(0\.?0*)$/, "$1")
    .replace("-", "−");
const vector = (/** @type {number[]} */ numbers) =>
  `(${numbers.map((number) => digits(number)).join(", ")})`;
const total = (/** @type {number[]} */ numbers) => numbers.reduce((sum, number) => sum + number, 0);
/** @type {(a: number[] | Float32Array, b: ArrayLike<number>) => number} */
const dot = (a, b) => {
  let sum = 0;
  a.forEach((number, i) => {
    sum += number * b[i];
  });
  return sum;
};

/** @param {number[]} scores */
function softmax(scores) {
  const largest = Math.max(...scores);
  const powers = scores.map((score) => (largest === -Infinity ? 0 : Math.exp(score - largest)));
  const sum = total(powers);
  return powers.map((power) => (sum ? power / sum : 0));
}

/**
 * A labelled slider that shows its value; `form.elements[name].valueAsNumber` reads it.
 * @param {string} name
 * @param {string} label
 * @param {{ min: number, max: number, step: number, value: number, show?: (value: number) => string }} options
 */
function slider(name, label, { min, max, step, value, show = digits }) {
  const shown = element("span", { className: "value" }); // an <output> would be what the label names
  const input = element("input", { type: "range", name, min, max, step, defaultValue: value });
  const update = () => {
    shown.textContent = show(input.valueAsNumber);
    input.setAttribute("aria-valuetext", shown.textContent);
  };
  input.addEventListener("input", update);
  input.addEventListener("refresh", update);
  update();
  return element("label", {}, `${label} `, shown, input);
}

/**
 * @param {string} name
 * @param {string} label
 * @param {boolean} checked
 */
function checkbox(name, label, checked) {
  return element(
    "label",
    { className: "tick" },
    element("input", { type: "checkbox", name, defaultChecked: checked }),
    ` ${label}`,
  );
}

/**
 * A labelled list to choose from: [value, what it says] each.
 * @param {string} name
 * @param {string} label
 * @param {[string | number, string][]} options
 * @param {string | number} value
 */
function choice(name, label, options, value) {
  const list = element(
    "select",
    { name },
    ...options.map(([key, text]) =>
      element(
        "option",
        { value: key, selected: `${key}` === `${value}`, defaultSelected: `${key}` === `${value}` },
        text,
      ),
    ),
  );
  return element("label", { className: "choice" }, `${label} `, list);
}

/**
 * @param {HTMLFormElement} form
 * @param {string} name
 * @param {string | number} value
 */
function set(form, name, value) {
  const control = /** @type {HTMLInputElement} */ (form.elements.namedItem(name));
  control.value = `${value}`;
  control.dispatchEvent(new Event("refresh"));
}

/**
 * Rows of a table, each with its head and its cells.
 * @param {Element} body
 * @param {(Node | string)[][]} rows
 */
function fill(body, rows) {
  body.replaceChildren(
    ...rows.map(([head, ...cells]) =>
      element(
        "tr",
        {},
        element("th", { scope: "row" }, head),
        ...cells.map((cell) => element("td", {}, cell)),
      ),
    ),
  );
}

/**
 * A share as a number, or whatever is said of it, and a bar below.
 * @param {number} share
 */
function bar(share, text = digits(share, 3)) {
  const filled = element("span", { className: "bar" });
  filled.style.width = `${(100 * share).toFixed(1)}%`;
  return element("span", { className: "share" }, text, filled);
}

/**
 * A table with a caption; returns the table and its body, which `fill` fills.
 * @param {string} caption
 * @param {string[]} heads
 * @returns {[HTMLElement, HTMLElement]}
 */
function numbers(caption, heads) {
  const body = element("tbody");
  const row = element("tr", {}, ...heads.map((head) => element("th", { scope: "col" }, head)));
  const table = element(
    "table",
    {},
    element("caption", {}, caption),
    element("thead", {}, row),
    body,
  );
  return [
    element("div", { className: "wide", tabIndex: 0, role: "region", ariaLabel: caption }, table),
    body,
  ];
}

/**
 * Controls that choose one of a sentence's tokens, *flies* at first, and one of a model's layers.
 * @param {{ tokens: string[], layers: unknown[] }} data
 */
function tokenAndLayer({ tokens, layers }) {
  return [
    choice(
      "word",
      "token",
      tokens.map((token, i) => [i, token]),
      tokens.indexOf("flies"),
    ),
    slider("layer", "layer", { min: 0, max: layers.length - 1, step: 1, value: 0, show: String }),
  ];
}
