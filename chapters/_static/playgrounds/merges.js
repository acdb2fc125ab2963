// @ts-check
// Chapter 9: byte-pair encoding, merge by merge, on a text of one's own.
"use strict";

playgrounds.merges = ({ form, picture, say, data }) => {
  const { merges, symbols } = data,
    ranks = new Map(merges.map((pair, rank) => [pair, rank]));
  const LIMIT = 80;
  form.append(
    element(
      "label",
      { className: "text" },
      "a text ",
      element("input", {
        type: "text",
        name: "text",
        maxLength: LIMIT,
        defaultValue: "Time flies, brother; fruit flies like a banana",
        spellcheck: false,
        autocomplete: "off",
      }),
    ),
    slider("count", "merges", { min: 0, max: merges.length, step: 1, value: 0, show: String }),
  );
  const pieces = element("div", { className: "pieces", ariaHidden: "true" });
  picture.append(
    element(
      "div",
      { className: "drawing" },
      element("p", { className: "title" }, "The text in pieces; ␣ is a space"),
      pieces,
    ),
  );

  // As `pre_tokenize` and `BytePairTokenizer.tokenize` do.
  const WORD = /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+/gu;
  const letters = (/** @type {string} */ word) =>
    [...new TextEncoder().encode(word)].map((byte) => symbols[byte]);
  const joint = (/** @type {string[]} */ found, /** @type {number} */ i) =>
    ranks.get(`${found[i]} ${found[i + 1]}`) ?? Infinity;
  /**
   * @param {string} word
   * @param {number} count
   */
  function cut(word, count) {
    let found = letters(word);
    for (;;) {
      const best = Math.min(...found.slice(1).map((_, i) => joint(found, i)), Infinity);
      if (best >= count) return found;
      const merged = [];
      for (let i = 0; i < found.length; i += 1) {
        if (joint(found, i) === best) merged.push(found[i] + found[(i += 1)]);
        else merged.push(found[i]);
      }
      found = merged;
    }
  }
  const shown = (/** @type {string} */ piece) => piece.replaceAll("Ġ", "␣");

  return () => {
    const text = form.elements.text.value,
      count = form.elements.count.valueAsNumber;
    const found = (text.match(WORD) ?? []).flatMap((word) => cut(word, count));
    pieces.replaceChildren(...found.map((piece) => element("span", {}, shown(piece))));
    const long = [...text].length,
      last = merges[count - 1];
    say(
      `${count} merges: ${long} characters are ${found.length} piece${found.length === 1 ? "" : "s"}` +
        `${found.length ? `, ${digits(long / found.length)} characters in each` : ""}. ` +
        (last
          ? `The last merge joined ${last
              .split(" ")
              .map((piece) => `“${shown(piece)}”`)
              .join(" and ")}.`
          : "Nothing is merged: each byte is a piece."),
    );
  };
};
