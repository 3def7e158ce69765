/**
 * `folded`: rollouts in which every turn has its own context with the notes so far. Each turn is a
 * trajectory, and all share the rollout's judgement.
 */
import { foldedRollout } from "@waggle/agent";
import type { JudgedTrajectory } from "@waggle/learning";
import type { TaskReference } from "@waggle/protocol";
import { derivedSeed, seededRandom } from "@waggle/protocol";
import type { EnvironmentRollout } from "../rollouts/environment-rollout.ts";
import { foldedDemonstration, foldedTrajectories } from "./folded-rollout.ts";
import { managedTurns, memoryOf } from "./managed-turns.ts";
import { byTask } from "./single-rollout.ts";
import type { CollectOptions, CollectParts, PlanOf, RolloutStrategy } from "./strategy.ts";

type Plan = PlanOf<"folded">;

export const foldedContexts: RolloutStrategy<Plan> = {
  requireEnvironment: ({ managed }, spec) => {
    if (managed !== undefined) memoryOf(spec);
  },
  collect: (plan, { tasks, parts, options }) =>
    byTask(parts, tasks, async (task, at) => {
      const rollouts = Array.from({ length: plan.size ?? 1 }, (_, i) =>
        foldedTurns(plan, parts, options, task, i === 0 ? [at] : [at, i]),
      );
      return (await Promise.all(rollouts)).flat();
    }),
  rollOutHeldOut: async (plan, { task, place, parts, options }) =>
    joined(await foldedTurns({ ...plan, mistakes: null }, parts, options, task, [place])),
};

/** The turns of one rollout. */
async function foldedTurns(
  plan: Plan,
  parts: CollectParts,
  options: CollectOptions,
  task: TaskReference,
  place: readonly number[],
): Promise<JudgedTrajectory[]> {
  const { policy, format, spec, signal } = parts;
  const { sampling, maxTurns, staleness } = options;
  const seed = derivedSeed(options.seed, ...place);
  if (plan.managed !== undefined) {
    return managedTurns(plan.managed, parts, { ...options, seed }, task);
  }
  if (plan.mistakes !== null) {
    const { contextLength } = policy;
    const { mistakes, consolidates } = plan;
    const random = seededRandom(seed);
    const drawn = { contextLength, mistakes, consolidates, random, seed };
    return foldedTrajectories(
      await foldedDemonstration(spec, task, format, drawn, signal),
      staleness,
    );
  }
  const client = { ...policy.client, crossOriginIsolated: false };
  const instance = spec.create(task);
  const { trajectories, finalText } = await foldedRollout(
    instance.environment,
    { policy, client, hear: () => {} },
    format,
    {
      sampling,
      maxTurns: maxTurns ?? spec.maxTurns,
      maxTurnTokens: spec.maxTurnTokens,
      seed,
      records: plan.records,
    },
    signal,
  );
  const verification = await instance.judge(finalText);
  return foldedTrajectories({ trajectories, verification }, staleness);
}

/** Combines the turns of one rollout, for counting. */
function joined(turns: readonly JudgedTrajectory[]): EnvironmentRollout {
  const last = turns.at(-1) as JudgedTrajectory;
  const all = turns.map(({ record }) => record);
  return {
    verification: last.verification,
    record: {
      ...last.record,
      turns: all.flatMap((each) => each.turns),
      segments: all.flatMap((each) => each.segments),
    },
  };
}
