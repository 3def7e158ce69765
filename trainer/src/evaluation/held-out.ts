/**
 * Evaluates the current policy on held-out tasks. Tasks and random draws are the same for the same
 * seed.
 */
import {
  type EnvironmentRollout,
  environmentRollout,
  roleRollout,
} from "@waggle/agent/environments";
import { meanOrZero } from "@waggle/evaluation";
import type { RolloutStrategy } from "@waggle/learning";
import type { EnvironmentSpec } from "@waggle/environments";
import { FULL_SUPPORT, type Sampling, type TaskReference, type TaskSplit } from "@waggle/protocol";
import { derivedSeed } from "@waggle/protocol";
import type { DriverParts } from "../rollouts/driver-parts.ts";
import { rolloutDriver } from "../rollouts/rollout-driver.ts";
import { type EvaluationTask, rollOutTasks, successesOf } from "./evaluation.ts";

/** Results of an evaluation on held-out tasks. */
export type HeldOut = {
  readonly successes: readonly boolean[];
  readonly toolCallsMean: number;
  readonly sampledTokensMean: number;
};

/** The nth held-out task, or the nth validation task; they differ by seed. */
export function heldOutTask(
  spec: EnvironmentSpec,
  i: number,
  seed = 0,
  split: TaskSplit = "heldOut",
): TaskReference {
  return spec.reference(derivedSeed(0xe7a1 + seed, i), split, i % spec.levels);
}

/** Evaluates the first `count` of them. */
export async function evaluateHeldOut(parts: DriverParts, count: number): Promise<HeldOut> {
  const places = Array.from({ length: count }, (_, i) => i);
  return heldOutOf(await rollOutHeldOut(parts, places));
}

/**
 * `[places]` rollouts of the tasks with these indices.
 *
 * @param draw - another one gives other random draws at the same tasks
 */
export async function rollOutHeldOut(
  parts: DriverParts,
  places: readonly number[],
  strategy?: RolloutStrategy,
  seed = 0,
  split: TaskSplit = "heldOut",
  sampling: Omit<Sampling, "seed"> = FULL_SUPPORT,
  draw = 0,
): Promise<EnvironmentRollout[]> {
  const { spec, signal } = parts;
  return rollOutTasks({
    tasks: places.map((place) => ({
      place,
      task: heldOutTask(spec, place, seed, split),
      seed: derivedSeed(0x5eed + seed, place, ...(draw === 0 ? [] : [draw])),
    })),
    rollOut: (at, given) => rollOutOne(parts, strategy, at, given),
    sampling,
    signal,
  });
}

/** By the strategy if it has its own way, otherwise by the policy or the role that is deployed. */
async function rollOutOne(
  parts: DriverParts,
  strategy: RolloutStrategy | undefined,
  { place, task, seed }: EvaluationTask,
  sampling: Omit<Sampling, "seed">,
): Promise<EnvironmentRollout> {
  const { format, reader, roles, signal } = parts;
  const driver = rolloutDriver([task], [], parts, { sampling, seed, staleness: 0 });
  const own = strategy?.rollOutHeldOut?.(driver, task, place);
  if (own) return own;
  const { policy, spec } =
    roles === undefined
      ? parts
      : roleRollout(roles, parts.policy, parts.spec, task, roles.deploys ?? "policy");
  const options = { sampling, seed, guide: reader?.(place).guide };
  return environmentRollout(policy, format, spec, task, options, signal);
}

/** Summarizes rollouts of held-out tasks. */
export function heldOutOf(rollouts: readonly EnvironmentRollout[]): HeldOut {
  return {
    successes: successesOf(rollouts),
    toolCallsMean: meanOrZero(
      rollouts.map(({ record }) =>
        record.turns.reduce((sum, turn) => sum + turn.toolCalls.length, 0),
      ),
    ),
    sampledTokensMean: meanOrZero(
      rollouts.map(({ record }) =>
        record.segments.reduce(
          (sum, segment) => sum + (segment.kind === "sampled" ? segment.tokenIds.length : 0),
          0,
        ),
      ),
    ),
  };
}
