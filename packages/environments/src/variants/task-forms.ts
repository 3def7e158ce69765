/** All forms that a task can take, each as an environment: the plain one, the variants, and those of self-play. */
import type { EnvironmentSpec } from "../environment-spec.ts";
import { proposalsOf } from "../environment-offers.ts";
import { ENVIRONMENT_VARIANTS, type EnvironmentVariant } from "./environment-variants.ts";
import { worldModelRole } from "./world-model-role.ts";

type TaskForm = EnvironmentVariant | "task" | "world" | "proposal" | "documented-proposal";

/** Functions that turn an environment into each form of its tasks. */
export const TASK_FORMS: {
  readonly [form in TaskForm]: (spec: EnvironmentSpec) => EnvironmentSpec;
} = {
  ...ENVIRONMENT_VARIANTS,
  task: (spec) => spec,
  world: worldModelRole,
  proposal: (spec) => proposalsOf(spec).proposer,
  "documented-proposal": (spec) => proposalsOf(spec, true).proposer,
};
