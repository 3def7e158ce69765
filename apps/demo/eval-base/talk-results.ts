/** Evaluates a model on held-out talks of each level: in the shop, and in shops with a redrawn catalogue. */
import type { EnvironmentSpec } from "@waggle/environments";
import type { SuccessRate } from "@waggle/evaluation";
import { REDRAWN_SHOP_TALK, SHOP_TALK } from "../src/environment/talk/talk-spec.ts";
import type { EvaluatedModel, Evaluating } from "./evaluated-model.ts";
import { heldOutResults } from "./held-out-results.ts";

/** The rate by environment, such as `redrawn-shop-talk-2`. */
export type TalkResults = { readonly [environment: string]: SuccessRate };

/** Plays `count` talks of each level. */
export async function talkResults(
  model: EvaluatedModel,
  count: number,
  evaluating: Evaluating,
): Promise<TalkResults> {
  const results: { [environment: string]: SuccessRate } = {};
  for (const { name, spec } of [SHOP_TALK, REDRAWN_SHOP_TALK].flatMap(levelsOf)) {
    results[name] = (await heldOutResults(model, spec, count, [], evaluating)).results.success;
  }
  return results;
}

/** Each level as an environment. */
function levelsOf(
  spec: EnvironmentSpec,
): { readonly name: string; readonly spec: EnvironmentSpec }[] {
  return Array.from({ length: spec.levels }, (_, level) => ({
    name: spec.reference(0, "heldOut", level).environment,
    spec: { ...spec, levels: 1, reference: (seed, split) => spec.reference(seed, split, level) },
  }));
}
