/** Writes recipes.json. Run it when a default is meant to change: `node --conditions=source test/golden/recipes/write.ts`. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { recipeRecords } from "../../../packages/learning/src/recipes/recipe-records.fixture.ts";

const golden = JSON.stringify(recipeRecords(), null, 1);
writeFileSync(join(import.meta.dirname, "recipes.json"), `${golden}\n`);
