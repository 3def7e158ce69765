/** A recipe with one stage that is not in the literature table, for tests of parts. */
import { type Recipe, recipe } from "./definition.ts";
import type { Stage } from "./stage.ts";

export function ownRecipe(stage: Stage): Recipe {
  return recipe({
    name: "own",
    literature: {
      recipe: "own",
      paper: "",
      system: null,
      table: "policy-gradient",
      difference: "",
      parts: { rollout: ["group"], reward: ["outcome"], advantage: ["group"], schedule: ["one"] },
    },
    differs: [],
    schedule: ["one"],
    settings: {},
    stages: () => [stage],
  })();
}
