/** Variants of an environment's tasks that a recipe can choose for its demonstrations, by name. */
import { ENVIRONMENTS } from "../environments.ts";
import type { EnvironmentSpec } from "../environment-spec.ts";
import { elsewhere } from "./elsewhere.ts";
import { evidenced } from "./evidenced.ts";
import { nearDuplicates } from "./near-duplicates.ts";
import { questioned } from "./questioned.ts";
import { refusedTwin } from "./refused-twin.ts";
import { fromTutorials } from "./tutorial.ts";

/** Name of a variant. */
export type EnvironmentVariant =
  | "forbidden"
  | "toolless"
  | "questioned"
  | "evidenced"
  | "near-duplicates"
  | "general"
  | "tutorial";

/** Functions that turn an environment into each of its variants. */
export const ENVIRONMENT_VARIANTS: {
  readonly [name in EnvironmentVariant]: (spec: EnvironmentSpec) => EnvironmentSpec;
} = {
  forbidden: (spec) => refusedTwin(spec, "forbidden"),
  toolless: (spec) => refusedTwin(spec, "missing"),
  questioned,
  evidenced,
  "near-duplicates": nearDuplicates,
  general: (spec) =>
    elsewhere(
      spec,
      ENVIRONMENTS.filter(({ name }) => name !== spec.name),
    ),
  tutorial: fromTutorials,
};
