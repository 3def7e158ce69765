/**
 * `branch`: complete trajectories first, then branches at the turns that the plan picks, until the
 * group is full.
 */
import type { JudgedTrajectory } from "@waggle/learning";
import type { TaskReference, Trajectory } from "@waggle/protocol";
import { seededRandom } from "@waggle/protocol";
import { rollout, byTask, many } from "./single-rollout.ts";
import type { CollectOptions, CollectParts, PlanOf, RolloutStrategy } from "./strategy.ts";

type Plan = PlanOf<"branch">;

/**
 * Number of tokens after the start of a turn over which entropy measures the policy's uncertainty.
 */
const ENTROPY_TOKENS = 8;

/** Runs plans of kind `branch`. */
export const branchedRollouts: RolloutStrategy<Plan> = {
  overlaps: true,
  collect: (plan, { tasks, parts, options }) =>
    byTask(parts, tasks, (task, at) => branches(plan, parts, options, task, at)),
};

async function branches(
  plan: Plan,
  parts: CollectParts,
  options: CollectOptions,
  task: TaskReference,
  at: number,
): Promise<JudgedTrajectory[]> {
  const trajectories = await many(Math.min(plan.whole, plan.size), (i) =>
    rollout(parts, options, task, [at, i]),
  );
  const random = seededRandom(options.seed, at, 0xb4a);
  let inARow = 0;
  for (const root of trajectories.slice()) {
    const entropies = turnEntropies(root.record);
    for (let turn = 1; turn < entropies.length && trajectories.length < plan.size; turn += 1) {
      if (!plan.branchAt(entropies.slice(0, turn + 1), inARow, random)) {
        inARow = 0;
        continue;
      }
      inARow += 1;
      trajectories.push(
        await rollout(parts, options, task, [at, trajectories.length], {
          from: { trajectory: root.record, turns: turn },
          branch: { trajectory: root.id, turn },
        }),
      );
    }
  }
  // Rollouts without a place to branch become complete trajectories.
  while (trajectories.length < plan.size) {
    trajectories.push(await rollout(parts, options, task, [at, trajectories.length]));
  }
  return trajectories;
}

/** `[turns]` mean entropy of the first tokens of each turn, in nats. */
function turnEntropies({ turns, segments }: Trajectory): number[] {
  return turns.map(({ segmentId }) => {
    const segment = segments.find(({ id }) => id === segmentId);
    const first = segment?.kind === "sampled" ? segment.entropies.slice(0, ENTROPY_TOKENS) : [];
    return first.reduce((sum, entropy) => sum + entropy, 0) / Math.max(1, first.length);
  });
}
