/** Starts the workers of a policy from files that another server hosts. */
import { WaggleError } from "@waggle/protocol";
import type { WorkerHandle } from "./worker-client.ts";
import type { BrowserDevice } from "./worker/messages.ts";

/**
 * Starts workers from the folder that `waggle assets` writes. The folder may be on any origin that allows cross-origin
 * requests: browsers refuse a worker from another origin, so the worker is a blob of the page that imports the file.
 *
 * @param assetsUrl - URL of the folder, absolute or relative to the page.
 * @throws WaggleError `INVALID_ARGUMENT` if it is not a URL of http or https.
 */
export function assetsWorker(assetsUrl: string): (device: BrowserDevice) => WorkerHandle {
  const folder = folderAt(assetsUrl);
  return (device) => {
    const script = new URL(`worker/${device}.js`, folder).href;
    // A policy of the page's content may forbid blobs.
    if (folder.origin === globalThis.location.origin) return new Worker(script, { type: "module" });
    const source = new Blob([`import ${JSON.stringify(script)};`], { type: "text/javascript" });
    const address = URL.createObjectURL(source);
    const worker = new Worker(address, { type: "module" });
    // The worker has read the blob when it answers or fails.
    const release = (): void => URL.revokeObjectURL(address);
    for (const type of ["message", "error"]) {
      worker.addEventListener(type, release, { once: true });
    }
    return worker;
  };
}

function folderAt(assetsUrl: string): URL {
  const address = assetsUrl.endsWith("/") ? assetsUrl : `${assetsUrl}/`;
  const base = globalThis.document?.baseURI;
  const url = URL.parse(address, base);
  if (url !== null && /^https?:$/.test(url.protocol)) return url;
  throw new WaggleError(
    "INVALID_ARGUMENT",
    `assetsUrl must be the URL of a folder, such as https://files.example/waggle/, got ${JSON.stringify(assetsUrl.slice(0, 100))}`,
  );
}
