/**
 * Writes the service worker's list of files: what a first visit must have stored to work without a network.
 * Not a framework: one cache, named by the content of the build.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";

/** Replaces `__FILES__` and `__BUILD__` of `service-worker.js` and emits it beside the page. */
export function writeServiceWorkerList(): Plugin {
  return {
    name: "waggle-offline",
    apply: "build",
    generateBundle(_options, bundle) {
      // .wasm of back ends that this browser never uses would cost many megabytes: those are kept on use.
      const files = Object.keys(bundle).filter((name) => !/\.(wasm|map)$/.test(name));
      const hash = createHash("sha256").update(Object.keys(bundle).sort().join("\n"));
      const source = readFileSync(join(import.meta.dirname, "src", "service-worker.js"), "utf8")
        .replace("__FILES__", JSON.stringify(["./", ...files]))
        .replace("__BUILD__", hash.digest("hex").slice(0, 12));
      this.emitFile({ type: "asset", fileName: "service-worker.js", source });
    },
  };
}
