// The search page: sections of the book, from `sections.js`, found by MiniSearch while one types.
document.addEventListener("DOMContentLoaded", () => {
  const MOST = 30,
    AROUND = 110; // results; characters before and after the first word found
  const field = document.querySelector(".bd-search-container form.bd-search input");
  const results = document.getElementById("search-results");
  const status = document.createElement("p");
  const list = document.createElement("ol");
  status.setAttribute("role", "status");
  list.className = "found-sections";
  results.replaceChildren(status, list);

  // One spelling and one number for each word; what stands in every section is left out.
  const COMMON = new Set(
    "a an and are as at by for from in is it of on or than that the to with".split(" "),
  );
  const stem = (word) => {
    const small = word.toLowerCase();
    if (COMMON.has(small)) return null;
    return small.replace(/is(e[ds]?|ing|ations?)$/, "iz$1").replace(/(?<=...)s$/, "");
  };
  const index = new MiniSearch({
    idField: "url",
    fields: ["title", "page", "text", "code"],
    storeFields: ["title", "page", "text", "code"],
    processTerm: stem,
    searchOptions: {
      boost: { title: 5, page: 2 },
      boostDocument: (url) => (url.includes("appendix_matrix") ? 0.2 : 1),
      prefix: (word) => word.length > 2,
      weights: { prefix: 0.4, fuzzy: 0.2 },
      combineWith: "AND",
    },
  });
  index.addAll(book.sections);

  // The words as they are, and with each term in them replaced by another name of the same thing.
  const readings = (words) => {
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

  // As it was typed; else with one letter wrong, missing or too many; else some of the words.
  const search = (words) => {
    const queries = readings(words).map((reading) => ({ combineWith: "AND", queries: [reading] }));
    const typed = index.search({ combineWith: "OR", queries });
    if (typed.length) return typed;
    const fuzzy = (word) => (word.length > 3 ? 1 : false);
    const near = index.search({ combineWith: "OR", queries }, { fuzzy });
    return near.length ? near : index.search(words, { combineWith: "OR" });
  };

  const excerpt = (result) => {
    const found = new Set(result.terms);
    const cut = (text) => text.split(/([\p{L}\p{N}]+)/u); // every second piece is a word
    const firstIn = (pieces) => pieces.findIndex((piece, i) => i % 2 && found.has(stem(piece)));
    let pieces = cut(result.text),
      first = firstIn(pieces);
    if (first < 0 && firstIn(cut(result.code)) >= 0) first = firstIn((pieces = cut(result.code)));
    let start = Math.max(first, 0),
      end = start,
      before = 0,
      after = 0;
    while (start > 0 && before < AROUND) before += pieces[--start].length;
    while (end < pieces.length && after < AROUND) after += pieces[end++].length;
    const line = document.createElement("p");
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

  const entry = (result) => {
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
    else if (!found.length) status.textContent = `Nothing in the book speaks of “${words}”.`;
    else if (found.length > MOST)
      status.textContent = `${found.length} sections; the first ${MOST} are shown.`;
    else status.textContent = found.length === 1 ? "1 section" : `${found.length} sections`;
  };

  field.value = new URLSearchParams(location.search).get("q") ?? "";
  field.addEventListener("input", show);
  field.closest("form").addEventListener("submit", (event) => event.preventDefault());
  show();
});
