/** Requirements of the options that recipes leave to their users. Pure data. */
import type { Requirement } from "./requirement.ts";

const at = (file: string, ...names: readonly string[]): string[] =>
  names.map((name) => `packages/learning/src/${file} > ${name}`);

export const RECIPE_REQUIREMENTS: readonly Requirement[] = [
  {
    id: "recipes:inferred",
    source: "issue 5, recipes",
    behavior:
      "For all 231 rows, every part that the abstract does not state has a setting, and changing it changes the built stages. Parts without an effective setting are detected.",
    tests: at(
      "recipes/inferred-parts.test.ts",
      "every row has its recipe, and every mark of the table is counted",
      "%s has a setting for each inferred part",
      "a part without a setting and a setting without an effect are detected",
    ),
  },
  {
    id: "recipes:settings",
    source: "issue 5, recipes",
    behavior:
      "Every default of a part is a setting, named by stage if stages differ. Text values must be one of the listed choices; an invalid value is refused with the list.",
    tests: [
      ...at(
        "composition/open-settings.test.ts",
        "options left at their defaults are settings; options that the recipe sets are not",
        "an option gets a setting per stage if stages differ or the recipe uses its name",
        "a recipe's own tasks setting holds for every step and must be a whole number",
        "a choice defaults to its first value; any other word is refused with the list",
        "parts are the same objects when nothing is set, and a copy has no definition",
      ),
      ...at(
        "composition/open-values.test.ts",
        "advantages over the deviation of the population, of the sample, or of none",
        "a threshold below 1 accepts high rewards; at 1 only verified success counts",
        "verify needs all checks or any; a tolerance treats close rewards as equal",
        "turns that are %s carry loss, in a filter and in a loss",
        "a ratio is clipped at epsilon",
        "reward options: outcome, payment by turn or at the end, bonus threshold, weights",
        "a proposer's reward follows the chosen curve: 1 in the middle, 0 at the ends",
        "the trained roles and the group size are settings",
      ),
    ],
  },
];
