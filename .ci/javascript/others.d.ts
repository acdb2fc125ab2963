// What scripts use that others wrote, as far as they use it.

// MiniSearch
interface FoundSection {
  id: string;
  title: string;
  page: string;
  text: string;
  score: number;
  terms: string[];
  match: Record<string, string[]>;
}
declare const MiniSearch: {
  loadJSON(
    index: string,
    options: object,
  ): { search(query: string | object, options?: object): FoundSection[] };
};

// D3 keeps with each element what it stands for; BertViz draws with it, and with jQuery.
interface Element {
  __data__?: unknown;
}
interface Window {
  jQuery: unknown;
  d3: { schemeCategory10: string[] };
  bertviz_params: unknown;
  require: unknown;
  requirejs: unknown;
}

// The service worker's own names, which TypeScript does not know beside those of a page.
interface OfflineEvent extends Event {
  waitUntil(done: Promise<unknown>): void;
}
interface OfflineFetchEvent extends OfflineEvent {
  request: Request;
  respondWith(answer: Promise<Response>): void;
}
interface OfflineWorker {
  registration: ServiceWorkerRegistration;
  clients: { claim(): Promise<void> };
  skipWaiting(): Promise<void>;
  addEventListener(type: "install" | "activate", listen: (event: OfflineEvent) => void): void;
  addEventListener(
    type: "message",
    listen: (event: OfflineEvent & MessageEvent<string[]>) => void,
  ): void;
  addEventListener(type: "fetch", listen: (event: OfflineFetchEvent) => void): void;
}
