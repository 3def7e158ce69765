/**
 * Success on a fixed set of tasks and seeds, so that two versions are compared on the same ones.
 * Sampling is as deployed: at the recipe's temperature, not greedy.
 */
import { pairedDifference } from "@waggle/evaluation";
import type { Adapter } from "@waggle/model";
import type { PolicyVersionId, TaskReference } from "@waggle/protocol";
import { judgedRollout, type RolloutParts } from "../rollouts/judged-rollout.ts";
import { inLanes } from "../rollouts/lanes.ts";
import { derivedSeed } from "@waggle/protocol";

/** Held-out tasks by index. The gate's tasks do not overlap those of a final report. */
function heldOutTask(environment: string, index: number): TaskReference {
  return { environment, seed: index, split: "heldOut" };
}

/**
 * First index of the promotion gate's tasks. A multiple of four keeps the share of unseen wordings.
 */
export const GATE_TASKS_START = 1_000_000;

/** Identifies a fixed set of tasks and their sampling seeds. */
export type FrozenTasks = {
  /** The environment's name in task references, as the edge assigns it. */
  readonly environment: string;
  readonly start: number;
  readonly count: number;
  /** Sampling seed, the same for every version. */
  readonly seed: number;
  /** Most tokens per turn; default as in a page. */
  readonly turnTokens?: number | undefined;
};

/** Outcomes of one version, by task. */
export type FrozenOutcomes = {
  readonly successes: readonly boolean[];
  /** Whether every turn was readable. */
  readonly readable: readonly boolean[];
};

/**
 * Outcomes of one version in the order of the tasks. Rollouts share the policy's batches, which changes
 * the last bits of log-probs; in rare cases this changes the outcome of a task.
 */
export async function evaluateVersion(
  parts: RolloutParts,
  tasks: FrozenTasks,
  version: PolicyVersionId,
  adapter: Adapter | null,
  signal: AbortSignal,
): Promise<FrozenOutcomes> {
  await parts.policy.setAdapter(version, adapter);
  const attempts = await inLanes(tasks.count, async (i) => {
    signal.throwIfAborted();
    const seed = derivedSeed(tasks.seed, i);
    const task = heldOutTask(tasks.environment, tasks.start + i);
    const { verification, record: trajectory } = await judgedRollout(
      { ...parts, turnTokens: tasks.turnTokens },
      task,
      seed,
      signal,
    );
    const isReadable = trajectory.turns.every(({ parseError }) => parseError === null);
    return { success: verification.success, isReadable };
  });
  return {
    successes: attempts.map(({ success }) => success),
    readable: attempts.map(({ isReadable }) => isReadable),
  };
}

/** Names a task set, so that its results are not confused with those of another set. */
export function frozenTasksName({
  environment,
  start,
  count,
  seed,
  turnTokens,
}: FrozenTasks): string {
  const limit = turnTokens === undefined ? "" : `/turn-${turnTokens}`;
  return `${environment}/heldOut/${start}+${count}/seed-${seed}${limit}`;
}

/** Significance level below which a fall counts as real. */
const SIGNIFICANCE = 0.05;

/**
 * True if the candidate does not fall: the exact paired test finds no significant loss, and the point
 * estimate is at most `margin` below the stable version. The margin tolerates noise of a few tasks.
 * Many small losses can still add up, each below significance, so keep the margin small.
 */
export function doesNotFall(
  candidate: readonly boolean[],
  stable: readonly boolean[],
  margin: number,
): boolean {
  const { difference, pValue } = pairedDifference(stable, candidate);
  const isWorse = difference < 0 && pValue < SIGNIFICANCE;
  return !isWorse && difference >= -margin;
}
