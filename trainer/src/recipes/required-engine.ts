/** Refuses an engine that lacks what a run needs, before the run starts. */
import { requireCapabilities } from "@waggle/learning";
import { type EngineCapabilities, WaggleError } from "@waggle/protocol";
import type { EdgeRecipe } from "./edge-recipe.ts";

/**
 * @throws WaggleError `CAPABILITY_MISSING` if the engine lacks a capability that the recipe needs,
 *   or cannot export its parameters: without them there is nothing to publish.
 */
export function requireEngine(recipe: EdgeRecipe, capabilities: EngineCapabilities): void {
  requireCapabilities(recipe.name, [recipe.stage], capabilities);
  const { reads, device } = capabilities;
  if (reads.includes("parameters")) return;
  throw new WaggleError(
    "CAPABILITY_MISSING",
    `${device} cannot export its adapter, which publishing needs; mount an open-rl server's OPEN_RL_TMP_DIR and pass --server-folder, use a backend of SkyRL that saves adapters, or train here (--device cpu)`,
  );
}
