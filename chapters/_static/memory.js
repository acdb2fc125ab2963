// @ts-check
// What a reader has done stays in the browser's own storage, and goes nowhere else: which answers of
// quizzes were opened, and which pages were read to their end. Without storage nothing is missing.
document.addEventListener("DOMContentLoaded", () => {
  const recall = (/** @type {string} */ name) => {
    try {
      return JSON.parse(/** @type {string} */ (localStorage.getItem(name))) ?? {};
    } catch {
      return {};
    }
  };
  const keep = (/** @type {string} */ name, /** @type {unknown} */ value) => {
    try {
      localStorage.setItem(name, JSON.stringify(value));
    } catch {
      // storage is full or forbidden
    }
  };
  const pageOf = (/** @type {{ pathname: string }} */ url) =>
    url.pathname.split("/").slice(-2).join("/");
  const here = pageOf(location);

  // A quiz is known by its question; a question that was changed begins anew.
  const quizzes = [...document.querySelectorAll(".bd-article .quiz")];
  const questionOf = (/** @type {Element} */ quiz) =>
    /** @type {Element} */ (quiz.querySelector("p")).textContent.trim().slice(0, 120);
  const opened = recall("course-quizzes")[here] ?? {};
  for (const quiz of quizzes) {
    const choices = [...quiz.querySelectorAll("details")];
    choices.forEach((choice, i) => (choice.open ||= (opened[questionOf(quiz)] ?? []).includes(i)));
    quiz.addEventListener(
      "toggle",
      () => {
        const all = recall("course-quizzes");
        all[here] ??= {};
        all[here][questionOf(quiz)] = choices.flatMap((choice, i) => (choice.open ? [i] : []));
        keep("course-quizzes", all);
      },
      true,
    ); // the event of a <details> does not bubble
  }
  if (quizzes.some((quiz) => quiz.querySelector("details[open]"))) {
    const again = document.createElement("button");
    again.className = "btn btn-outline-primary close-answers";
    again.textContent = "Close the answers you opened earlier";
    again.addEventListener("click", () => {
      quizzes.forEach((quiz) =>
        quiz.querySelectorAll("details").forEach((choice) => (choice.open = false)),
      );
      again.remove();
    });
    quizzes[0].before(again);
  }

  const mark = () => {
    const read = recall("course-read");
    const links = /** @type {NodeListOf<HTMLAnchorElement>} */ (
      document.querySelectorAll(".bd-sidebar-primary nav a.reference.internal")
    );
    for (const link of links) {
      if (!read[pageOf(link)] || link.querySelector(".read-mark")) continue;
      const tick = document.createElement("span");
      tick.className = "read-mark";
      tick.textContent = " ✓";
      tick.setAttribute("role", "img");
      tick.setAttribute("aria-label", "read to its end");
      link.append(tick);
    }
  };
  mark();
  const end = document.querySelector(".prev-next-footer");
  if (!end) return;
  new IntersectionObserver((entries, observer) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    observer.disconnect();
    keep("course-read", { ...recall("course-read"), [here]: true });
    mark();
  }).observe(end);
});

// Over https a worker keeps what was opened for when there is no network: `worker.js`.
if (location.protocol === "https:" && "serviceWorker" in navigator) {
  const first = !navigator.serviceWorker.controller;
  addEventListener("load", async () => {
    const root = new URL(`${document.documentElement.dataset.content_root}`, location.href);
    await navigator.serviceWorker.register(new URL("worker.js", root));
    const { active } = await navigator.serviceWorker.ready;
    const loaded = performance.getEntriesByType("resource").map((entry) => entry.name);
    if (first) active?.postMessage([location.href, ...loaded]);
  });
}
