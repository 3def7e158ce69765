/** A synthetic step of every stage of every recipe, as test/golden/recipes/steps.json keeps them. */
import { canonicalJson, sha256 } from "@waggle/protocol";
import type { Stage } from "../composition/stage.ts";
import { syntheticStep } from "../composition/synthetic-step.fixture.ts";
import { recipeNamed, RECIPES } from "./catalogue.ts";

const SEEDS = [1, 2, 3];

export const RECIPE_NAMES: readonly string[] = [...RECIPES.keys()];

/** A line for each stage, members of merges included: the first seed to read, and a digest of all seeds. */
export async function syntheticSteps(name: string): Promise<string[]> {
  const lines: string[] = [];
  for (const stage of recipeNamed(name)().stages.flatMap(withMembers)) {
    const steps = [];
    for (const seed of SEEDS) steps.push(await syntheticStep(stage, seed));
    const digest = await sha256(canonicalJson(plain(steps.map(({ all, line }) => [line, all]))));
    lines.push(`${steps[0]?.line ?? ""} (${digest.slice(0, 12)})`);
  }
  return lines;
}

function withMembers(stage: Stage): readonly Stage[] {
  return [stage, ...(stage.merging?.members.flat().flatMap(withMembers) ?? [])];
}

/** Data only, with numbers to six digits. */
function plain(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_, one: unknown) => {
      if (typeof one === "number")
        return Number.isFinite(one) ? Number(one.toPrecision(6)) : String(one);
      if (ArrayBuffer.isView(one)) return [...(one as Float64Array)];
      if (one instanceof Map || one instanceof Set) return [...(one as Map<unknown, unknown>)];
      return one;
    }),
  );
}
