/**
 * Success on tasks that never change, with seeds that never change, so that two versions are
 * compared on the same ones. Sampled as deployed: the recipe's temperature, not the most likely
 * token.
 */
import { pairedDifference } from "@waggle/evaluation";
import type { Adapter } from "@waggle/model";
import type { PolicyVersionId, TaskReference } from "@waggle/protocol";
import { judgedRollout, type RolloutParts } from "../rollouts/judged-rollout.ts";
import { inLanes } from "../rollouts/lanes.ts";
import { derivedSeed } from "@waggle/protocol";

/** Held-out tasks by index; the first task of the gate is far from those of a final report. */
function heldOutTask(environment: string, index: number): TaskReference {
  return { environment, seed: index, split: "heldOut" };
}

/** Where the promotion gate's tasks begin. A multiple of four keeps the share of unseen wordings. */
export const GATE_TASKS_START = 1_000_000;

export type FrozenTasks = {
  /** Name in a task reference, as the edge assigns it. */
  readonly environment: string;
  readonly start: number;
  readonly count: number;
  /** Seed of the sampling, the same for every version. */
  readonly seed: number;
  /** Most tokens of one turn; default as in a page. */
  readonly turnTokens?: number | undefined;
};

/** Of one version, by task. */
export type FrozenOutcomes = {
  readonly successes: readonly boolean[];
  /** Whether every turn could be read. */
  readonly readable: readonly boolean[];
};

/**
 * Outcomes of one version in the order of the tasks. Rollouts share the policy's runs, which
 * changes log-probs in their last bits: a task may come out otherwise once in a great many times.
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

/** Names a task set, so that results of another one are not taken for it. */
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

/** Significance below which a fall is taken for real. */
const SIGNIFICANCE = 0.05;

/**
 * True when the candidate does not fall: no significant loss in the exact paired test, and a point
 * estimate of at most `margin` below the stable version. The margin lets noise of a few tasks pass;
 * a drift by many small losses is bounded by the significance of each step only, so keep it small.
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
