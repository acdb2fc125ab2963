// @ts-check
// The search page: sections of the book, from `sections.js`, found by MiniSearch while one types.
// `terms.js` says what a word is.
document.addEventListener("DOMContentLoaded", () => {
  const MOST = 30,
    AROUND = 110; // results; characters before and after the first word found
  const field = /** @type {HTMLInputElement} */ (
    document.querySelector(".bd-search-container form.bd-search input")
  );
  const results = /** @type {HTMLElement} */ (document.getElementById("search-results"));
  const status = document.createElement("p");
  const list = document.createElement("ol");
  status.setAttribute("role", "status");
  list.className = "found-sections";
  results.replaceChildren(status, list);

  const index = MiniSearch.loadJSON(book.index, SEARCH_OPTIONS);

  // The words as they are, and with each term in them replaced by another name of the same thing.
  const readings = (/** @type {string} */ words) => {
    const spaced = ` ${words.toLowerCase().replace(/[\s-]+/g, " ")} `;
    const found = [words];
    for (const terms of book.synonyms) {
      for (const term of terms) {
        const name = ` ${term.replace(/[\s-]+/g, " ")} `;
        if (!spaced.includes(name)) continue;
        for (const other of terms)
          if (other !== term) found.push(spaced.replace(name, ` ${other} `).trim());
      }
    }
    return found;
  };

  // 1 where all words stand side by side, less the more others are among them.
  const nearness = (/** @type {string} */ text, /** @type {Set<string>} */ wanted) => {
    const last = new Map();
    let fewest = Infinity;
    stems(text).forEach((word, i) => {
      if (!wanted.has(word)) return;
      last.set(word, i);
      if (last.size === wanted.size) fewest = Math.min(fewest, i + 1 - Math.min(...last.values()));
    });
    return wanted.size / fewest;
  };
  const namesOf = (/** @type {FoundSection} */ result) =>
    result.id.includes("#term-") ? result.title.split(", ") : [result.title];

  // Better than words that are somewhere are words that stand together, and a section of that name.
  // In the clinic they are a symptom; in the pages of the matrix there is one for each mistake.
  const rank = (/** @type {FoundSection[]} */ results, /** @type {string[][]} */ wanted) => {
    for (const result of results) {
      const clinic = result.id.includes("appendix_mistakes");
      const near = wanted.map((words) => {
        const named = namesOf(result).some((name) => stems(name).join() === words.join());
        if (named || words.length < 2) return named ? 2 : 0;
        return nearness(result.text, new Set(words));
      });
      result.score *= 1 + (clinic ? 8 : 4) * Math.max(...near);
      if (clinic) result.score *= 2;
      if (result.id.includes("appendix_matrix")) result.score *= 0.2;
    }
    return results.sort((one, other) => other.score - one.score);
  };

  // As it was typed; else with one letter wrong, missing or too many; else some of the words.
  const search = (/** @type {string} */ words) => {
    const same = readings(words);
    const queries = same.map((reading) => ({ combineWith: "AND", queries: [reading] }));
    const fuzzy = (/** @type {string} */ word) => (word.length > 3 ? 1 : false);
    for (const ask of [
      () => index.search({ combineWith: "OR", queries }),
      () => index.search({ combineWith: "OR", queries }, { fuzzy }),
      () => index.search(words, { combineWith: "OR" }),
    ]) {
      const found = ask();
      if (found.length) return rank(found, same.map(stems));
    }
    return [];
  };

  const excerpt = (/** @type {FoundSection} */ result) => {
    /** @type {Set<string | null>} */
    const found = new Set(result.terms);
    const cut = (/** @type {string} */ text) => text.split(/([\p{L}\p{N}]+)/u); // every second piece is a word
    const firstIn = (/** @type {string[]} */ pieces) =>
      pieces.findIndex((piece, i) => i % 2 && found.has(stem(piece)));
    const pieces = cut(result.text);
    const first = firstIn(pieces);
    const line = document.createElement("p");
    if (first < 0 && Object.values(result.match).flat().includes("code")) {
      line.textContent = "In the code of this section.";
      return line;
    }
    let start = Math.max(first, 0),
      end = start,
      before = 0,
      after = 0;
    while (start > 0 && before < AROUND) before += pieces[--start].length;
    while (end < pieces.length && after < AROUND) after += pieces[end++].length;
    if (start > 0) line.append("… ");
    pieces.slice(start, end).forEach((piece, i) => {
      const hit = (start + i) % 2 && found.has(stem(piece));
      const mark = document.createElement("mark");
      mark.textContent = piece;
      line.append(hit ? mark : piece);
    });
    if (end < pieces.length) line.append(" …");
    return line;
  };

  const entry = (/** @type {FoundSection} */ result) => {
    const item = document.createElement("li"),
      link = document.createElement("a");
    link.href = result.id;
    link.textContent = result.title;
    item.append(link);
    if (result.page !== result.title) item.append(` in ${result.page}`);
    item.append(excerpt(result));
    return item;
  };

  const show = () => {
    const words = field.value.trim();
    const found = words ? search(words) : [];
    list.replaceChildren(...found.slice(0, MOST).map(entry));
    if (!words) status.textContent = "Type a word: the sections that speak of it appear here.";
    else if (!found.length)
      status.textContent = stems(words).length
        ? `Nothing in the book speaks of “${words}”.`
        : `“${words}” says too little to find a section by: add a word.`;
    else if (found.length > MOST)
      status.textContent = `${found.length} sections; the first ${MOST} are shown.`;
    else status.textContent = found.length === 1 ? "1 section" : `${found.length} sections`;
  };

  // The address has the words, so that one can come back to them. Browsers refuse too many changes.
  const remember = () => {
    const words = field.value.trim();
    history.replaceState(null, "", words ? `?q=${encodeURIComponent(words)}` : location.pathname);
  };
  /** @type {number | undefined} */
  let pause;
  field.addEventListener("input", () => {
    show();
    clearTimeout(pause);
    pause = setTimeout(remember, 400);
  });
  list.addEventListener("click", remember);
  /** @type {HTMLFormElement} */ (field.closest("form")).addEventListener("submit", (event) =>
    event.preventDefault(),
  );
  field.value = new URLSearchParams(location.search).get("q") ?? "";
  show();

  // The keys that lead to the search need no mention here.
  document.querySelectorAll(".search-button__kbd-shortcut").forEach((hint) => hint.remove());
});
