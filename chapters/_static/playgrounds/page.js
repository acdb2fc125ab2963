// @ts-check
// Puts a playground into each place `<div class="playground" data-playground="attention">`: its
// drawing, its controls, a sentence that says what is seen, and its numbers. What a reader has set is
// kept in the browser's own storage, and stands in the page's address, as `#attention:q1=2;q2=-0.5`.
// Where no script runs, the sentence inside the place stays.
"use strict";

/**
 * A control of a form: an input, or a list with its options.
 * @typedef {HTMLInputElement & { options: HTMLOptionsCollection }} PlaygroundControl
 * @typedef {HTMLFormElement & { elements: Record<string, PlaygroundControl> }} PlaygroundForm
 */
/**
 * What a playground is given. A sentence that only passes by is not read aloud.
 * @template Data
 * @typedef {{ form: PlaygroundForm, picture: HTMLElement, numbers: HTMLElement, say: (text: string, passing?: boolean) => void, data: Data }} PlaygroundPlace
 */

/**
 * By name: a function that fills a place and returns what draws it again.
 * @type {{ [Name in keyof PlaygroundNumbers]?: (place: PlaygroundPlace<PlaygroundNumbers[Name]>) => () => void }}
 */
const playgrounds = {};
/**
 * By name: a model's numbers, from data/NAME.js.
 * @type {Partial<PlaygroundNumbers>}
 */
const playgroundData = {};

document.addEventListener("DOMContentLoaded", () => {
  const STORE = "course-playgrounds";
  const kept = () => {
    try {
      return JSON.parse(/** @type {string} */ (localStorage.getItem(STORE))) ?? {};
    } catch {
      return {};
    }
  };
  const keep = (/** @type {string} */ name, /** @type {string} */ settings) => {
    try {
      localStorage.setItem(STORE, JSON.stringify({ ...kept(), [name]: settings || undefined }));
    } catch {
      // storage is full or forbidden
    }
  };

  const places = /** @type {NodeListOf<HTMLElement>} */ (
    document.querySelectorAll("[data-playground]")
  );
  for (const place of places) {
    const name = /** @type {keyof PlaygroundNumbers} */ (place.dataset.playground);
    const play = /** @type {((place: PlaygroundPlace<any>) => () => void) | undefined} */ (
      playgrounds[name]
    );
    if (!play) continue;
    const parts = {
      picture: element("div", { className: "picture" }),
      numbers: element("div", { className: "numbers" }),
    };
    const form = /** @type {PlaygroundForm} */ (element("form", { className: "controls" }));
    const sentence = element("p", { role: "status" });
    // What only passes by is not read aloud.
    const say = (/** @type {string} */ text, passing = false) => {
      sentence.ariaLive = passing ? "off" : "polite";
      if (sentence.textContent !== text) sentence.textContent = text;
    };
    const draw = play({ ...parts, form, say, data: playgroundData[name] });
    const reset = element("button", { type: "button" }, "reset");
    form.append(reset);

    const controls = () =>
      /** @type {PlaygroundControl[]} */ ([...form.elements]).filter((control) => control.name);
    const atFirst = (/** @type {PlaygroundControl} */ control) => {
      if (control.type === "checkbox") return control.defaultChecked;
      return (
        control.defaultValue ??
        [...control.options].filter((option) => option.defaultSelected)[0].value
      );
    };
    const now = (/** @type {PlaygroundControl} */ control) =>
      control.type === "checkbox" ? control.checked : control.value;
    const settings = () =>
      controls()
        .filter((control) => now(control) !== atFirst(control))
        .map(
          (control) =>
            `${control.name}=${encodeURIComponent(control.type === "checkbox" ? Number(control.checked) : control.value)}`,
        )
        .join(";");
    /** @param {string} text */
    function put(text) {
      const wanted = new URLSearchParams(text.replaceAll(";", "&"));
      for (const control of controls()) {
        const value = wanted.get(control.name) ?? atFirst(control);
        if (control.type === "checkbox") control.checked = value === true || value === "1";
        else if (control.type === "range")
          control.value = `${value && Number.isFinite(Number(value)) ? value : atFirst(control)}`;
        else if (control.type === "text") control.value = `${value}`;
        else
          control.value = `${[...control.options].some((option) => option.value === value) ? value : atFirst(control)}`;
        control.dispatchEvent(new Event("refresh"));
      }
      draw();
    }
    const inAddress = () =>
      location.hash.startsWith(`#${name}:`) ? location.hash.slice(name.length + 2) : null;
    /** @type {number | undefined} */
    let soon;
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", () => {
      draw();
      clearTimeout(soon);
      soon = setTimeout(() => {
        keep(name, settings());
        if (settings()) history.replaceState(null, "", `#${name}:${settings()}`);
        else if (inAddress() !== null)
          history.replaceState(null, "", location.pathname + location.search);
      }, 250);
    });
    reset.addEventListener("click", () => {
      put("");
      form.dispatchEvent(new Event("input"));
    });
    window.addEventListener("hashchange", () => {
      const wanted = inAddress();
      if (wanted === null) return;
      put(wanted);
      place.scrollIntoView();
    });
    place.replaceChildren(
      element("div", { className: "stage" }, parts.picture, form),
      sentence,
      parts.numbers,
    );
    put(inAddress() ?? `${kept()[name] ?? ""}`);
    if (inAddress() !== null)
      window.addEventListener("load", () => setTimeout(() => place.scrollIntoView())); // after the browser's own scrolling
  }
});
