// @ts-check
// Keeps what a reader opens for when there is no network, and gives it back only then. The build
// writes this file to the root of the site, below a line that is another one in each build.
const worker = /** @type {OfflineWorker} */ (/** @type {unknown} */ (self));
const KEPT = worker.registration.scope; // other books may share the host
const TITLE = /<title>(.*?)<\/title>/s;

// A page is kept once, whatever was asked of it.
const addressOf = (/** @type {string} */ url) => url.replace(/[?#].*/s, "");
const belongs = (/** @type {string} */ url) =>
  url.startsWith(KEPT) && !addressOf(url).endsWith(".zip");

/**
 * @param {string} url
 * @param {Response} response
 */
async function keep(url, response) {
  const cache = await caches.open(KEPT);
  await cache.put(addressOf(url), response).catch(() => {}); // a full disk
}

// The rest of what was kept belongs to an older book. What a reader has loaded on purpose is large:
// it comes again when it is asked for.
async function renew() {
  const cache = await caches.open(KEPT);
  for (const { url } of await cache.keys()) {
    const response = url.includes("/weights-") ? null : await fetch(url, { cache: "no-cache" });
    await (response?.status === 200 ? cache.put(url, response) : cache.delete(url));
  }
}

/** @param {OfflineFetchEvent} event */
async function answer(event) {
  const { request } = event;
  try {
    const response = await fetch(request);
    if (response.status === 200) event.waitUntil(keep(request.url, response.clone()));
    return response;
  } catch {
    const kept = await (await caches.open(KEPT)).match(addressOf(request.url));
    return kept ?? (request.mode === "navigate" ? notKept() : Response.error());
  }
}

async function notKept() {
  const cache = await caches.open(KEPT);
  let links = "";
  for (const { url } of await cache.keys()) {
    if (!url.endsWith(".html")) continue;
    const title =
      TITLE.exec(await /** @type {Response} */ (await cache.match(url)).text())?.[1] ?? url;
    links += `<li><a href="${url}">${title}</a></li>`;
  }
  const page = `<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<meta name="color-scheme" content="light dark" />
<title>Not on this device</title>
<style>body { font: 1.1rem/1.6 sans-serif; max-width: 36rem; margin: 4rem auto; padding: 0 1rem }</style>
<h1>This page is not on your device</h1>
<p>There is no network, and you have not opened this page before. You can read these:</p>
<ul>${links}</ul>
</html>`;
  return new Response(page, { status: 503, headers: { "Content-Type": "text/html" } });
}

worker.addEventListener("install", (event) => {
  worker.skipWaiting();
  event.waitUntil(renew());
});
worker.addEventListener("activate", (event) => event.waitUntil(worker.clients.claim()));
// What the first page had loaded before this worker was there.
worker.addEventListener("message", (event) => {
  const bring = async (/** @type {string} */ url) => keep(url, await fetch(url));
  event.waitUntil(Promise.allSettled(event.data.filter(belongs).map(bring)));
});
worker.addEventListener("fetch", (event) => {
  if (event.request.method === "GET" && belongs(event.request.url))
    event.respondWith(answer(event));
});
