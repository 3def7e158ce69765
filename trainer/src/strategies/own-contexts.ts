/** Plans whose rollouts are not one context from start to end, or of more than the policy. One task's trajectories. */
import type { JudgedTrajectory, RolloutPlan } from "@waggle/learning";
import { derivedSeed, seededRandom } from "../rollouts/random.ts";
import type { TaskReference } from "@waggle/protocol";
import type { CollectOptions, CollectParts } from "./collect.ts";
import { foldedRollout, foldedDemonstration, foldedTrajectories } from "./folded-rollout.ts";
import { managedTurns } from "./managed-turns.ts";
import { introspectiveRollout } from "./introspective-rollout.ts";

export type TaskPlace = { readonly task: TaskReference; readonly place: readonly number[] };

/** Turns with contexts of their own, a trajectory each. */
export async function foldedTurns(
  plan: Extract<RolloutPlan, { kind: "folded" }>,
  parts: CollectParts,
  options: CollectOptions,
  { task, place }: TaskPlace,
): Promise<JudgedTrajectory[]> {
  const { policy, format, spec, signal } = parts;
  const { sampling, maxTurns, seed, staleness } = options;
  const rolloutSeed = derivedSeed(seed, ...place);
  if (plan.managed !== undefined) {
    return managedTurns(plan.managed, parts, { ...options, seed: rolloutSeed }, task);
  }
  if (plan.mistakes !== null) {
    const { contextLength } = policy;
    const { mistakes, consolidates } = plan;
    const random = seededRandom(rolloutSeed);
    const drawn = { ...{ contextLength, mistakes, consolidates, random }, seed: rolloutSeed };
    return foldedTrajectories(
      await foldedDemonstration(spec, task, format, drawn, signal),
      staleness,
    );
  }
  const client = { ...policy.client, crossOriginIsolated: false };
  const rollout = await foldedRollout(
    spec.create(task),
    { policy, client, hear: () => {} },
    format,
    {
      ...{ sampling, maxTurns: maxTurns ?? spec.maxTurns, seed: rolloutSeed },
      records: plan.records,
    },
    signal,
  );
  return foldedTrajectories(rollout, staleness);
}

/** Several answers in one context. */
export function introspective(
  { guidance }: Extract<RolloutPlan, { kind: "retry" }>,
  trials: NonNullable<Extract<RolloutPlan, { kind: "retry" }>["trials"]>,
  { policy, format, spec, signal }: CollectParts,
  { sampling, maxTurns, seed, staleness }: CollectOptions,
  { task, place }: TaskPlace,
): Promise<JudgedTrajectory> {
  return introspectiveRollout(
    { policy, format, spec, guidance, trials },
    task,
    { sampling, maxTurns, seed: derivedSeed(seed, ...place), staleness },
    signal,
  );
}
