/** Writes routes.json. Run it when a route is meant to change: `node --conditions=source test/golden/edge/write.mjs`. */
import { writeFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { join } from "node:path";

// The classes that the Worker extends exist in workerd alone; the description needs none of them.
registerHooks({
  resolve: (specifier, context, next) =>
    specifier.startsWith("cloudflare:")
      ? { url: "data:text/javascript,export class DurableObject {}", shortCircuit: true }
      : next(specifier, context),
});
const { endpoints } = await import("../../../workers/edge/src/app.ts");
const { routesOf } = await import("../../../workers/edge/src/testing/described-routes.ts");

const golden = JSON.stringify(routesOf(endpoints), null, 1);
writeFileSync(join(import.meta.dirname, "routes.json"), `${golden}\n`);
