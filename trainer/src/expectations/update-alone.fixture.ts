/** Updates that start on new engines, so that no check depends on another. */
import type { Recipe } from "@waggle/learning";
import {
  type ActedEnvironment,
  type StageRecord,
  tinyEngines,
  updateOnce,
} from "./recipe-update.fixture.ts";

/** `updateOnce` on engines of its own. */
export async function updateAlone(
  recipe: Recipe,
  acted: ActedEnvironment,
  updates?: number,
  seed?: number,
): Promise<StageRecord[]> {
  const engines = await tinyEngines();
  try {
    return await updateOnce(recipe, acted, engines, updates, seed);
  } finally {
    await engines.dispose();
  }
}
