/** What demonstrations may be of, as families. */
import { FAMILY_VARIANTS, type TaskFamily } from "@waggle/environments";
import type { DemonstrationForm } from "@waggle/learning/rollouts";
import { proposalsOf } from "./proposed-rollouts.ts";
import { worldRole } from "./world-model-role.ts";

export const DEMONSTRATION_FORMS: {
  readonly [form in DemonstrationForm]: (family: TaskFamily) => TaskFamily;
} = {
  ...FAMILY_VARIANTS,
  task: (family) => family,
  world: worldRole,
  proposal: (family) => proposalsOf(family).proposer,
};
