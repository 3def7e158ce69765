/**
 * Writes recipes.json and steps.json. Run it when a default or what a part computes is meant to change:
 * `node --conditions=source test/golden/recipes/write.ts`.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { recipeRecords } from "../../../packages/learning/src/recipes/recipe-records.fixture.ts";
import {
  RECIPE_NAMES,
  syntheticSteps,
} from "../../../packages/learning/src/recipes/synthetic-steps.fixture.ts";

function write(file: string, golden: object): void {
  writeFileSync(join(import.meta.dirname, file), `${JSON.stringify(golden, null, 1)}\n`);
}

write("recipes.json", recipeRecords());
const steps: { [name: string]: readonly string[] } = {};
for (const name of RECIPE_NAMES) steps[name] = await syntheticSteps(name);
write("steps.json", steps);
