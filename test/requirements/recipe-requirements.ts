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
      "every row has its recipe, and the marks are as many as the table counts",
      "%s is set wherever its row is our reading",
      "a part that is as it is, and a setting that reaches no part, are found out",
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
        "what parts leave at their standards is a setting, what the recipe gives is its own",
        "a value that differs from stage to stage, or whose name is the recipe's own, has one for each",
        "a recipe's own number of tasks is that of every step, and must be one",
        "a choice defaults to its first value; any other word is refused with the list",
        "parts stay the very same where nothing is set, and a copy is nobody's part to make again",
      ),
      ...at(
        "composition/open-values.test.ts",
        "advantages over the deviation of the population, of the sample, or of none",
        "a threshold below 1 keeps what was verified as good enough; at 1 the verifier's word alone counts",
        "every check or any of them; groups that differ by little are alike",
        "turns that are %s carry loss, in a filter and in a loss",
        "a ratio is clipped where epsilon says",
        "rewards: the score or success, pay by turn or at the end, a bonus from so good on, weights",
        "a setter is paid by the curve that is named: 1 in the middle, 0 at the ends",
        "who learns of several roles, and how many rollouts a group has",
      ),
    ],
  },
];
