/** Other forms of a family's tasks, by name: what a recipe's demonstrations may be of. */
import { FAMILIES } from "../families.ts";
import type { TaskFamily } from "../task-family.ts";
import { elsewhere } from "./elsewhere.ts";
import { evidenced } from "./evidenced.ts";
import { nearDuplicates } from "./near-duplicates.ts";
import { questioned } from "./questioned.ts";
import { refusedTwin } from "./refused-twin.ts";
import { fromTutorials } from "./tutorial.ts";

/** Tasks of the shop are too long for a small context. */
const GENERAL = FAMILIES.filter(({ name }) => name !== "shop");

export type FamilyVariant =
  | "forbidden"
  | "toolless"
  | "questioned"
  | "evidenced"
  | "near-duplicates"
  | "general"
  | "tutorial";

export const FAMILY_VARIANTS: {
  readonly [name in FamilyVariant]: (family: TaskFamily) => TaskFamily;
} = {
  forbidden: (family) => refusedTwin(family, "forbidden"),
  toolless: (family) => refusedTwin(family, "missing"),
  questioned,
  evidenced,
  "near-duplicates": nearDuplicates,
  general: (family) =>
    elsewhere(
      family,
      GENERAL.filter(({ name }) => name !== family.name),
    ),
  tutorial: fromTutorials,
};
