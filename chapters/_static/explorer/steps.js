// @ts-check
// One token on its way through one layer, step by step, with its numbers. Each step has a title, what
// it says, and what it shows; the steps inside a head share a table that grows by a column.
"use strict";

/**
 * @typedef {Object} ExplorerStepGiven
 * @property {ExplorerTrace} trace
 * @property {ExplorerLayer} now the layer
 * @property {string[]} tokens
 * @property {number} token @property {number} layer @property {number} head
 * @property {number} hidden @property {number} inner @property {number} size
 * @property {boolean} first @property {boolean} last whether it is the first or last layer
 * @property {{ scale: boolean, lookAhead: boolean }} switches
 * @property {boolean} silent whether the head is switched off
 */
const explorerSteps = (() => {
  const { vector } = explorerDrawing;
  const formula = (/** @type {string} */ text, /** @type {string} */ shape) =>
    element(
      "p",
      { className: "explorer-formula" },
      element("code", {}, text),
      shape ? element("span", {}, ` ${shape}`) : "",
    );

  // Rows of the reading's arrays. packed is [token, 3 * hidden]: queries, keys, values.
  /** @typedef {ExplorerStepGiven} Given */
  const row = (
    /** @type {Float32Array} */ array,
    /** @type {number} */ token,
    /** @type {number} */ size,
  ) => array.subarray(token * size, (token + 1) * size);
  /**
   * @param {Given} given
   * @param {number} token
   * @param {number} third 0, 1 or 2
   */
  const part = ({ now, size, hidden, head }, token, third) => {
    const start = token * 3 * hidden + third * hidden + head * size;
    return now.packed.subarray(start, start + size);
  };

  const COLUMNS = ["key", "q · k", "÷ √32", "mask", "weight", "value"];
  /**
   * @param {Given} given
   * @param {number} columns how many of them, the last of which is new
   */
  function table(given, columns) {
    const { tokens, token, now, head, size, switches } = given;
    const count = tokens.length,
      start = (head * count + token) * count;
    const names = COLUMNS.slice(0, columns);
    if (!switches.scale && columns > 2) names[2] = "not scaled";
    const headRow = element(
      "tr",
      {},
      element("th", { scope: "col" }, "token"),
      ...names.map((name, i) =>
        element("th", { scope: "col", className: i === columns - 1 ? "new" : "" }, name),
      ),
    );
    const rows = tokens.map((name, k) => {
      const score = now.scores[start + k],
        seen = switches.lookAhead || k <= token;
      const cells = [
        () => vector(part(given, k, 1), { role: "key", small: true }),
        () => digits(score),
        () => digits(switches.scale ? score / Math.sqrt(size) : score),
        () => (seen ? "0" : "−∞"),
        () => bar(now.weights[start + k], digits(now.weights[start + k])),
        () => vector(part(given, k, 2), { role: "value", small: true }),
      ];
      return element(
        "tr",
        {},
        element("th", { scope: "row" }, name),
        ...cells
          .slice(0, columns)
          .map((cell, i) => element("td", { className: i === columns - 1 ? "new" : "" }, cell())),
      );
    });
    const label = `Query of ${isolated(tokens[token])} and what it meets`;
    return element(
      "div",
      { className: "wide", tabIndex: 0, role: "region", ariaLabel: label },
      element(
        "table",
        {},
        element("caption", {}, label),
        element("thead", {}, headRow),
        element("tbody", {}, ...rows),
      ),
    );
  }
  const query = (/** @type {Given} */ given) =>
    vector(part(given, given.token, 0), {
      role: "query",
      name: `Query of ${isolated(given.tokens[given.token])}`,
    });
  /** @param {Given} given */
  const most = ({ now, head, token, tokens }) => {
    const start = (head * tokens.length + token) * tokens.length;
    const weights = Array.from(now.weights.subarray(start, start + tokens.length));
    const largest = Math.max(...weights),
      other = tokens[weights.indexOf(largest)];
    return `${isolated(tokens[token])} takes most from ${isolated(other)} (${digits(largest)}).`;
  };
  /**
   * The token's row of an array, as a vector.
   * @param {string} name
   * @param {string} role
   * @param {(given: Given) => Float32Array} array
   * @param {"hidden" | "inner"} size
   */
  const numbersOf =
    (name, role, array, size = "hidden") =>
    (/** @type {Given} */ given) =>
      vector(row(array(given), given.token, given[size]), { role, name });

  /** @type {{ name: string, title: string, says: (given: Given) => string, shows: (given: Given) => Element[] }[]} */
  const steps = [
    {
      name: "input",
      title: "In",
      says: ({ layer, first }) =>
        first
          ? "Before layer 0: the row of the table for this token, plus the vector of its position, plus that of the segment; the sum is normalised."
          : `What layer ${layer - 1} left: one vector for each token. Layer ${layer} begins with it.`,
      shows: (given) =>
        given.first
          ? [
              formula("norm(word + position + segment)", "[384]"),
              numbersOf("Word", "plain", ({ trace }) => trace.embeddings.word)(given),
              numbersOf("Position", "plain", ({ trace }) => trace.embeddings.position)(given),
              vector(given.trace.embeddings.segment, { role: "plain", name: "Segment" }),
              numbersOf("Normalised sum", "plain", ({ now }) => now.input)(given),
            ]
          : [
              formula("x", "[384]"),
              numbersOf("Vector that comes in", "plain", ({ now }) => now.input)(given),
            ],
    },
    {
      name: "query",
      title: "Query",
      says: ({ head }) =>
        `What the token looks for. Head ${head} multiplies the vector by its own matrix and makes 32 numbers of the 384.`,
      shows: (given) => [formula("q = x W_Q + b_Q", "[384] → [32]"), query(given)],
    },
    {
      name: "key",
      title: "Keys",
      says: () =>
        "What every token offers to be found by: the same recipe with another matrix, for all tokens.",
      shows: (given) => [
        formula("k = x W_K + b_K", `[${given.tokens.length}, 384] → [${given.tokens.length}, 32]`),
        query(given),
        table(given, 1),
      ],
    },
    {
      name: "scores",
      title: "Scores",
      says: () => "The query is compared with each key: multiply number by number, and add up.",
      shows: (given) => [
        formula("q · k", `[32] · [32] → one number for each token`),
        query(given),
        table(given, 2),
      ],
    },
    {
      name: "scale",
      title: "Scale",
      says: ({ switches }) =>
        switches.scale
          ? "Divided by √32 = 5.66, since a sum of 32 products is about that much larger than one product."
          : "Switched off: the scores go on as they are, 5.66 times too large.",
      shows: (given) => [formula("scores / √d_k", "d_k = 32"), table(given, 3)],
    },
    {
      name: "mask",
      title: "Mask",
      says: ({ switches }) =>
        switches.lookAhead
          ? "0 is added for a token that may be seen, −∞ for one that may not. An encoder looks both ways, and a single sentence has no padding: nothing is hidden."
          : "Only tokens up to this one may be seen, as in a decoder: −∞ is added to the scores of the others.",
      shows: (given) => [formula("scores + mask", ""), table(given, 4)],
    },
    {
      name: "softmax",
      title: "Softmax",
      says: (given) => `Scores become shares that sum to 1. ${most(given)}`,
      shows: (given) => [
        formula("weights = softmax(scores)", `[${given.tokens.length}]`),
        table(given, 5),
      ],
    },
    {
      name: "update",
      title: "Update",
      says: ({ head, silent }) =>
        `Each token contributes its value, in these shares. The sum is what head ${head} has to say about this token${silent ? "; but it is silenced, so zeros go on" : ""}.`,
      shows: (given) => [
        formula("weights @ V", `[${given.tokens.length}] @ [${given.tokens.length}, 32] → [32]`),
        table(given, 6),
        vector(
          row(given.now.context, given.token, given.hidden).subarray(
            given.head * given.size,
            (given.head + 1) * given.size,
          ),
          { role: "value", name: "Update" },
        ),
      ],
    },
    {
      name: "join",
      title: "Join",
      says: () => "The updates of the twelve heads, side by side, are mixed by one more matrix.",
      shows: (given) => [
        formula("concat(head 0 … head 11) W_O + b_O", "12 × [32] → [384]"),
        numbersOf("Twelve updates side by side", "value", ({ now }) => now.context)(given),
        numbersOf("Update of the whole layer", "plain", ({ now }) => now.update)(given),
      ],
    },
    {
      name: "add",
      title: "Add, norm",
      says: () =>
        "The update is added to the vector that came in, and the sum is normalised: mean 0, variance 1, then a learned scale and shift for each number.",
      shows: (given) => [
        formula("norm(x + update)", "[384]"),
        numbersOf("After attention", "plain", ({ now }) => now.middle)(given),
      ],
    },
    {
      name: "feed",
      title: "Feed-forward",
      says: (given) => {
        const neurons = row(given.now.neurons, given.token, given.inner);
        return `Each token by itself: 1,536 neurons, then back to 384 numbers. ${neurons.filter((n) => n > 0.1).length} of the neurons are above 0.1 for this token; GELU lets hardly anything below zero through.`;
      },
      shows: (given) => [
        formula("gelu(x W_1 + b_1) W_2 + b_2", "[384] → [1536] → [384]"),
        numbersOf("Neurons", "neurons", ({ now }) => now.neurons, "inner")(given),
        numbersOf("What it adds", "plain", ({ now }) => now.fed)(given),
      ],
    },
    {
      name: "output",
      title: "Out",
      says: ({ layer, last }) =>
        last
          ? "Added and normalised once more: this is what the model has to say about the token."
          : `Added and normalised once more. Layer ${layer + 1} goes on from here.`,
      shows: (given) => [
        formula("norm(x + feed-forward)", "[384]"),
        numbersOf("What comes out", "plain", ({ now }) => now.output)(given),
      ],
    },
  ];
  return steps;
})();
