/** The forms that a task can take, each as an environment. */
import { ENVIRONMENT_VARIANTS, type EnvironmentSpec } from "@waggle/environments";
import type { DemonstrationForm } from "@waggle/learning";
import { proposalsOf } from "./task-proposals.ts";
import { worldRole } from "./world-model-role.ts";

export const TASK_FORMS: {
  readonly [form in DemonstrationForm]: (spec: EnvironmentSpec) => EnvironmentSpec;
} = {
  ...ENVIRONMENT_VARIANTS,
  task: (spec) => spec,
  world: worldRole,
  proposal: (spec) => proposalsOf(spec).proposer,
  "documented-proposal": (spec) => proposalsOf(spec, true).proposer,
};
