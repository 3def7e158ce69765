/** Registers the service worker of the built page and tells it what this first visit loaded. */

/** @param onReady called once the page would load again without a network. */
export async function keepForOffline(onReady: () => void): Promise<void> {
  if (!import.meta.env.PROD || !("serviceWorker" in navigator)) return;
  await navigator.serviceWorker.register(new URL("service-worker.js", document.baseURI));
  const { active } = await navigator.serviceWorker.ready;
  const channel = new MessageChannel();
  channel.port1.addEventListener("message", onReady, { once: true });
  channel.port1.start();
  const keep = performance.getEntriesByType("resource").map((entry) => entry.name);
  // The worker of the policy loads its own files; their names are in no list of this page.
  const wasm = keep.filter((url) => url.endsWith(".wasm"));
  active?.postMessage({ keep: [...keep, ...wasm, document.baseURI] }, [channel.port2]);
}
