/**
 * Keeps the shop usable offline. Hashed assets come from the cache; pages and config come from the network if
 * possible. Requests to the edge pass through, because the agent stores models and uploads itself.
 */
const CACHE = "waggle-demo-__BUILD__";
const FILES = __FILES__;
/** Several megabytes each, and a browser needs only one, so a back end is cached when the page names it. */
const BACK_ENDS = __BACK_ENDS__;

self.addEventListener("install", (event) => {
  event.waitUntil(
    caches
      .open(CACHE)
      .then((cache) => cache.addAll(FILES))
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener("activate", (event) => {
  const dropOld = async () => {
    for (const name of await caches.keys()) {
      if (name.startsWith("waggle-demo-") && name !== CACHE) await caches.delete(name);
    }
    await self.clients.claim();
  };
  event.waitUntil(dropOld());
});

// Files that the page loaded before this worker controlled it.
self.addEventListener("message", (event) => {
  const { keep = [], backend = "" } = event.data ?? {};
  const isWebgpu = !backend.startsWith("wasm");
  const files = BACK_ENDS.filter((name) => /asyncify|jsep|jspi/.test(name) === isWebgpu);
  const urls = [...keep.filter(isOwn), ...files.map((name) => new URL(name, self.location).href)];
  event.waitUntil(
    caches.open(CACHE).then(async (cache) => {
      for (const url of urls) {
        if ((await cache.match(url, { ignoreVary: true })) === undefined)
          await cache.add(url).catch(() => undefined);
      }
      event.ports[0]?.postMessage("kept");
    }),
  );
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || !isOwn(request.url)) return;
  const path = new URL(request.url).pathname;
  event.respondWith(path.includes("/assets/") ? cacheFirst(request) : networkFirst(request));
});

function isOwn(url) {
  return new URL(url, self.location.href).origin === self.location.origin;
}

async function cacheFirst(request) {
  const cache = await caches.open(CACHE);
  const known = await cache.match(request, { ignoreVary: true });
  if (known !== undefined) return known;
  const response = await fetch(request);
  if (response.ok) await cache.put(request, response.clone());
  return response;
}

async function networkFirst(request) {
  const cache = await caches.open(CACHE);
  try {
    const response = await fetch(request);
    if (response.ok) await cache.put(withoutSearch(request), response.clone());
    return response;
  } catch (error) {
    const known = await cache.match(request, { ignoreSearch: true, ignoreVary: true });
    if (known === undefined) throw error;
    return known;
  }
}

/** `/?simulate=3` and `/` are the same page. */
function withoutSearch(request) {
  const url = new URL(request.url);
  url.search = "";
  return url.href;
}
