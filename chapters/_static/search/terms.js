// @ts-check
// What is a word for the search: the same when the index is made, with the book, and when it is asked.

// These stand in nearly every section.
const COMMON_WORDS = new Set(
  (
    "a an and are as at be by can do does for from how i in is it my of on or than that the to " +
    "what when which why with you"
  ).split(" "),
);
const NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve".split(" ");

/**
 * One spelling and one number for each word; nothing for one that says nothing.
 * @param {string} word
 */
function stem(word) {
  const small = word.toLowerCase();
  if (COMMON_WORDS.has(small)) return null;
  if (NUMBERS.includes(small)) return String(NUMBERS.indexOf(small));
  return small
    .replace(/is(e[ds]?|ing|ations?)$/, "iz$1")
    .replace(/ense([ds]?)$/, "ence$1")
    .replace(/(?<=...)s$/, "");
}

const stems = (/** @type {string} */ text) =>
  /** @type {string[]} */ ((text.match(/[\p{L}\p{N}]+/gu) ?? []).map(stem).filter(Boolean));

const SEARCH_OPTIONS = {
  idField: "url",
  fields: ["title", "page", "text", "code"],
  storeFields: ["title", "page", "text"], // with the code a phone would wait longer for the index
  processTerm: stem,
  searchOptions: {
    boost: { title: 5, page: 2 },
    prefix: (/** @type {string} */ word) => word.length > 2,
    weights: { prefix: 0.4, fuzzy: 0.2 },
    combineWith: "AND",
  },
};
