/** The forms that demonstrations can take, each as an environment wrapper. */
import { ENVIRONMENT_VARIANTS, type EnvironmentSpec } from "@waggle/environments";
import type { DemonstrationForm } from "@waggle/learning";
import { proposalsOf } from "./task-proposals.ts";
import { worldRole } from "../rollouts/world-model-role.ts";

export const DEMONSTRATION_FORMS: {
  readonly [form in DemonstrationForm]: (spec: EnvironmentSpec) => EnvironmentSpec;
} = {
  ...ENVIRONMENT_VARIANTS,
  task: (spec) => spec,
  world: worldRole,
  proposal: (spec) => proposalsOf(spec).proposer,
};
