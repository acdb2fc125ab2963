// @ts-check
// Small repairs that the theme and BertViz need: names and roles for screen readers, keys for those
// who do not use a mouse. Nothing here is needed to read the book.
document.addEventListener("DOMContentLoaded", () => {
  const each = (
    /** @type {string} */ selector,
    /** @type {(element: HTMLElement) => void} */ change,
  ) => /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(selector)).forEach(change);

  // The visible word must be part of a control's name (WCAG 2.5.3); the theme's names differ.
  each(".search-button-field", (button) => button.removeAttribute("aria-label"));
  each(".theme-switch-button svg, .theme-switch-button i", (icon) =>
    icon.setAttribute("aria-hidden", "true"),
  );
  each(".bd-sidebar-primary", (sidebar) => sidebar.setAttribute("role", "complementary"));
  each(".bd-sidebar-primary", (sidebar) => sidebar.setAttribute("aria-label", "Course"));
  each("li.has-children > details > summary", (toggle) => {
    const entry = /** @type {Element} */ (toggle.closest("li"));
    const link = /** @type {Element} */ (entry.querySelector("a"));
    toggle.setAttribute("aria-label", `Pages of ${link.textContent.trim()}`);
  });
  each("div.citation[role]", (entry) => entry.setAttribute("role", "listitem"));

  // On paper a link is followed by its address, unless that is its text.
  each("a[href^='http']", (link) =>
    link.classList.toggle("shows-address", link.textContent.trim() === link.getAttribute("href")),
  );

  each("[id^='bertviz-']", describeBertviz);

  const article = /** @type {HTMLElement | null} */ (
    document.querySelector(".bd-article:has(a.term)")
  );
  if (article && matchMedia("(hover: none)").matches && "popover" in article) explainTerms(article);
});

/**
 * Who cannot point at a term taps it: what it means opens, and from there the glossary.
 * @param {HTMLElement} article
 */
function explainTerms(article) {
  /**
   * @template {keyof HTMLElementTagNameMap} Name
   * @param {Name} name
   * @param {Record<string, string>} attributes
   * @param {(Node | string)[]} children
   */
  const make = (name, attributes, ...children) => {
    const element = Object.assign(document.createElement(name), attributes);
    element.append(...children);
    return element;
  };
  const name = make("strong", { id: "term-card-name" });
  const meaning = make("p", {});
  // until a term is tapped it leads to the first one: a link that leads nowhere counts as a fault
  const first = /** @type {HTMLAnchorElement} */ (article.querySelector("a.term"));
  const link = make("a", { href: first.href }, "In the glossary");
  const close = make("button", { type: "button", className: "btn btn-outline-primary" }, "Close");
  const card = make("div", { popover: "auto", className: "term-card", role: "dialog" });
  card.setAttribute("aria-labelledby", name.id);
  card.append(name, meaning, make("div", {}, link, close));
  document.body.append(card);
  close.addEventListener("click", () => card.hidePopover());
  article.addEventListener("click", (event) => {
    const term = /** @type {HTMLAnchorElement | null} */ (
      /** @type {Element} */ (event.target).closest("a.term")
    );
    if (!term) return;
    event.preventDefault();
    name.textContent = term.textContent;
    meaning.textContent = /** @type {string} */ (term.dataset.meaning);
    link.href = term.href;
    term.focus({ preventScroll: true }); // where the keyboard is again when the card is closed
    card.showPopover();
    close.focus();
  });
}

// What scrolls sideways must be reachable by keyboard. A formula has its width with its font.
window.addEventListener("load", async () => {
  await document.fonts.ready;
  const boxes = "div.math > .formula, .cell_output .text_html, .pst-scrollable-table-container";
  /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(boxes)).forEach((box) => {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
  });
});

/**
 * BertViz knows only the mouse. Each token that reacts to it gets a place in the order of Tab; Enter
 * presses the token's +, which opens its computation. The coloured squares of the heads become check
 * boxes: Space selects one or not, Enter selects it alone. It draws again after each choice.
 * @param {HTMLElement} view
 */
function describeBertviz(view) {
  const describe = () => {
    for (const svg of view.querySelectorAll("#vis > svg:not([role])")) {
      svg.setAttribute("role", "group");
      svg.setAttribute(
        "aria-label",
        "Attention between tokens; those that you can select are buttons",
      );
      fitComputation(svg);
      const rects = /** @type {NodeListOf<SVGRectElement>} */ (
        svg.querySelectorAll(":scope > g > rect")
      );
      const squares = [...rects].filter((square) => typeof square.__data__ === "boolean");
      squares.forEach((square, head) => makeCheckbox(square, `Head ${head}`, squares));
      for (const text of svg.querySelectorAll("text")) {
        const token = /** @type {SVGElement} */ (text.parentNode);
        const side = /** @type {Element} */ (token.parentNode);
        if (text.style.cursor === "default" && side.id !== "rightText") {
          makeButton(token, text.textContent, svg);
        }
      }
    }
  };
  new MutationObserver(describe).observe(view, { childList: true, subtree: true });
  view.addEventListener("click", () => view.querySelectorAll("#vis > svg").forEach(fitComputation));
  describe();
}

/**
 * The neuron view's open computation is 1010 units wide, more than the column: make it smaller.
 * @param {Element} svg
 */
function fitComputation(svg) {
  const computation = svg.querySelector("#expanded");
  const open = computation && getComputedStyle(computation).visibility === "visible";
  svg.classList.toggle("open-computation", Boolean(open));
  svg.setAttribute("preserveAspectRatio", "xMinYMin");
  if (open) svg.setAttribute("viewBox", `0 0 1010 ${parseFloat(`${svg.getAttribute("height")}`)}`);
  else svg.removeAttribute("viewBox");
}

/**
 * @param {SVGElement} square
 * @param {string} name
 * @param {Element[]} all
 */
function makeCheckbox(square, name, all) {
  square.setAttribute("tabindex", "0");
  square.setAttribute("role", "checkbox");
  square.setAttribute("aria-label", name);
  square.append(
    Object.assign(document.createElementNS(square.namespaceURI, "title"), { textContent: name }),
  );
  const state = () =>
    all.forEach((each) => each.setAttribute("aria-checked", String(each.__data__)));
  square.addEventListener("click", state);
  square.addEventListener("dblclick", state);
  square.addEventListener("keydown", (event) => {
    /** @type {Record<string, string>} */
    const types = { " ": "click", Enter: "dblclick" };
    if (!(event.key in types)) return;
    event.preventDefault();
    square.dispatchEvent(new MouseEvent(types[event.key], { bubbles: true }));
  });
  state();
}

/**
 * @param {SVGElement} token
 * @param {string} name
 * @param {Element} svg
 */
function makeButton(token, name, svg) {
  token.setAttribute("tabindex", "0");
  token.setAttribute("role", "button");
  token.setAttribute("aria-label", name);
  const act = (/** @type {string} */ type) => () =>
    token.dispatchEvent(new MouseEvent(type, { bubbles: true }));
  token.addEventListener("focus", act("mouseover"));
  token.addEventListener("blur", act("mouseleave"));
  token.addEventListener("keydown", (event) => {
    const plus = token.querySelector("path + rect");
    if (event.key !== "Enter" || !plus) return;
    const place = [.../** @type {Element} */ (token.parentNode).children].indexOf(token);
    plus.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    // Now another drawing of the same tokens is visible; stay at the same one.
    const twins = /** @type {NodeListOf<SVGElement>} */ (
      svg.querySelectorAll("[id=leftText] > g[tabindex]")
    );
    [...twins].filter((twin) => getComputedStyle(twin).visibility === "visible")[place].focus();
  });
}
