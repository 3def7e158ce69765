/** A synthetic step of every stage of every recipe, as test/golden/recipes/steps.json keeps them. */
import { canonicalJson, sha256 } from "@waggle/protocol";
import type { Stage } from "../composition/stage.ts";
import { syntheticStep } from "../composition/synthetic-step.fixture.ts";
import { recipeNamed, RECIPES } from "./catalogue.ts";

const SEED = 1;

export const RECIPE_NAMES: readonly string[] = [...RECIPES.keys()];

/** A line for each stage, members of merges included: some numbers to read, and a digest of all. */
export async function syntheticSteps(name: string): Promise<string[]> {
  const lines: string[] = [];
  for (const stage of recipeNamed(name)().stages.flatMap(withMembers)) {
    const { line, all } = await syntheticStep(stage, SEED);
    const digest = await sha256(canonicalJson(plain(all)));
    lines.push(`${line} (${digest.slice(0, 12)})`);
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
