/**
 * Preloaded by `node --import '<this file>?place=…&place=…'`: from then on the process cannot load a module that is one of these
 * files, or lies in one of these folders. Nothing else is changed. It imports nothing of this project, which could load such
 * a module before.
 */
import { realpathSync } from "node:fs";
import { registerHooks } from "node:module";
import { sep } from "node:path";
import { fileURLToPath } from "node:url";

// A place that does not exist ends the process here: a misspelled one would refuse nothing.
const places = new URL(import.meta.url).searchParams
  .getAll("place")
  .map((place) => realpathSync(place));

registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    const file = found.url.startsWith("file:") ? fileURLToPath(found.url) : null;
    const place = places.find((one) => file === one || file?.startsWith(`${one}${sep}`));
    if (place === undefined) return found;
    const by = context.parentURL === undefined ? "" : `, which ${context.parentURL} imports`;
    throw new Error(
      `this process must not load ${specifier} (${file})${by}: it was started so that it cannot see what people want`,
    );
  },
});
