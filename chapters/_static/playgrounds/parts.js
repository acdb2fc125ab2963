// What playgrounds and the page "See it think" are made of: elements, numbers as text, controls, tables.
// Nothing here knows of a particular page.
"use strict";

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

const digits = (number, count = 2) =>
  number
    .toFixed(count)
    .replace(/^-(0\.?0*)$/, "$1")
    .replace("-", "−");
const vector = (numbers) => `(${numbers.map((number) => digits(number)).join(", ")})`;
const total = (numbers) => numbers.reduce((sum, number) => sum + number, 0);
const dot = (a, b) => a.reduce((sum, number, i) => sum + number * b[i], 0);

function softmax(scores) {
  const largest = Math.max(...scores);
  const powers = scores.map((score) => (largest === -Infinity ? 0 : Math.exp(score - largest)));
  const sum = total(powers);
  return powers.map((power) => (sum ? power / sum : 0));
}

// A labelled slider that shows its value; `form.elements[name].valueAsNumber` reads it.
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

function checkbox(name, label, checked) {
  return element(
    "label",
    { className: "tick" },
    element("input", { type: "checkbox", name, defaultChecked: checked }),
    ` ${label}`,
  );
}

// A labelled list to choose from: [value, what it says] each.
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

function set(form, name, value) {
  form.elements[name].value = value;
  form.elements[name].dispatchEvent(new Event("refresh"));
}

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

// A share as a number, or whatever is said of it, and a bar below.
function bar(share, text = digits(share, 3)) {
  const filled = element("span", { className: "bar" });
  filled.style.width = `${(100 * share).toFixed(1)}%`;
  return element("span", { className: "share" }, text, filled);
}

// A table with a caption; returns the table and its body, which `fill` fills.
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
