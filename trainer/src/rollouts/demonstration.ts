/** Demonstrations as trajectories, made as a rollout strategy asks. */
import { demonstratedRollout, repeatedDemonstrator, saying } from "@waggle/agent/environments";
import { TASK_FORMS, told } from "@waggle/environments";
import {
  type DemonstrationOptions,
  type JudgedTrajectory,
  toJudgedTrajectory,
} from "@waggle/learning";
import { seededRandom, type TaskReference } from "@waggle/protocol";
import { turnOwners } from "./divided-calls.ts";
import type { DriverParts } from "./driver-parts.ts";
import { inLanes } from "./lanes.ts";
import { rewardsOf } from "./turn-rewards.ts";

type DemonstrationParts = Pick<DriverParts, "spec" | "format" | "policy" | "roles">;

/** `[tasks]` plain demonstrations, with this share of random decisions. */
export function demonstrations(
  parts: DemonstrationParts,
  tasks: readonly TaskReference[],
  mistakes: number,
  seed: number,
): Promise<JudgedTrajectory[]> {
  return inLanes(tasks.length, (at) => {
    const random = seededRandom(seed, at, 0);
    return demonstration(parts, tasks[at] as TaskReference, { random, mistakes });
  });
}

/** Runs the demonstrator, or repeats recorded actions. */
export async function demonstration(
  { spec, format, policy, roles }: DemonstrationParts,
  task: TaskReference,
  options: DemonstrationOptions,
): Promise<JudgedTrajectory> {
  const { random, mistakes = 0, form = "task", mode = null, role = "policy" } = options;
  const { repeats, says = "" } = options;
  const formed = TASK_FORMS[form](spec);
  const acting =
    repeats === undefined
      ? formed
      : { ...formed, demonstrator: repeatedDemonstrator(repeats, format) };
  const { record, verification } = await demonstratedRollout(
    says === "" ? acting : saying(acting, says),
    task,
    format,
    {
      random,
      mistakes,
      contextLength: policy.contextLength,
      ...(mode === null ? {} : { around: told(mode) }),
    },
  );
  return toJudgedTrajectory(record, verification, {
    mode,
    role,
    ...turnOwners(roles, record),
    ...rewardsOf(record, verification),
  });
}
