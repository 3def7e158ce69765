/** Registers the service worker of the built page and tells it which files this first visit loaded. */

/**
 * @param backend - the policy's back end, whose files a worker loads, so that the page cannot see the requests.
 * @param onReady - called once the page can be reloaded without a network.
 */
export async function keepForOffline(backend: string, onReady: () => void): Promise<void> {
  if (!import.meta.env.PROD || !("serviceWorker" in navigator)) return;
  await navigator.serviceWorker.register(new URL("service-worker.js", document.baseURI));
  const { active } = await navigator.serviceWorker.ready;
  const channel = new MessageChannel();
  channel.port1.addEventListener("message", onReady, { once: true });
  channel.port1.start();
  const keep = performance.getEntriesByType("resource").map((entry) => entry.name);
  active?.postMessage({ keep: [...keep, document.baseURI], backend }, [channel.port2]);
}
