/**
 * Writes the service worker's file list: files that a first visit stores so that the page works offline. There
 * is one cache, named by the content of the build.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";

/** Fills the lists and the build id into `service-worker.js` and emits it beside the page. */
export function writeServiceWorkerList(): Plugin {
  return {
    name: "waggle-offline",
    apply: "build",
    generateBundle(_options, bundle) {
      const names = Object.keys(bundle).sort();
      const files = names.filter((name) => !/\.(wasm|map)$/.test(name));
      const backEnds = names.filter((name) => name.endsWith(".wasm"));
      // File names contain content hashes, so they identify the build.
      const hash = createHash("sha256").update(names.join("\n"));
      const source = readFileSync(join(import.meta.dirname, "src", "service-worker.js"), "utf8")
        .replace("__FILES__", JSON.stringify(["./", ...files]))
        .replace("__BACK_ENDS__", JSON.stringify(backEnds))
        .replace("__BUILD__", hash.digest("hex").slice(0, 12));
      this.emitFile({ type: "asset", fileName: "service-worker.js", source });
    },
  };
}
