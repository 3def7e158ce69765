/**
 * Success on a fixed set of tasks and seeds, so that two versions are compared on the same ones.
 * Sampling is as deployed: at the recipe's temperature, not greedy.
 */
import {
  type EnvironmentRollout,
  judgedRollout,
  type JudgedRolloutParts,
} from "@waggle/agent/environments";
import { environmentOf } from "@waggle/environments";
import type { Adapter } from "@waggle/model";
import { derivedSeed, type PolicyVersionId, type TaskReference } from "@waggle/protocol";
import type { AdaptivePolicy } from "@waggle/runtime/node";
import { readAnswer } from "../probes/answer-reading.ts";
import { type EvaluationTask, rollOutTasks, successesOf } from "./evaluation.ts";
import { type FrozenOutcomes, frozenReferences, type FrozenTasks } from "./frozen-tasks.ts";
import { sampledAnswers } from "./sampled-answers.ts";

/** What judged rollouts are run with, and a policy whose version can be set. */
export type VersionedParts = JudgedRolloutParts & {
  readonly policy: Pick<AdaptivePolicy, "setAdapter">;
  /** Called after each task. */
  readonly onTask?: () => void;
};

/** Outcomes of one version in the order of the tasks. */
export async function evaluateVersion(
  parts: VersionedParts,
  frozen: FrozenTasks,
  version: PolicyVersionId,
  adapter: Adapter | null,
  signal: AbortSignal,
): Promise<FrozenOutcomes> {
  const { turnTokens, constrainToolCalls } = frozen;
  const given = { ...parts, turnTokens, constrainToolCalls };
  const tasks = tasksOf(frozen);
  const rollouts = await rollOutVersion(given, tasks, version, adapter, signal);
  const taskOf = (task: TaskReference) => environmentOf(task, parts.environments).task(task);
  return {
    successes: successesOf(rollouts),
    readable: rollouts.map(({ record }) =>
      record.turns.every(({ parseError }) => parseError === null),
    ),
    answers: rollouts.map((rollout, i) =>
      readAnswer(rollout, taskOf((tasks[i] as EvaluationTask).task).kind, parts.format),
    ),
    sampled: sampledAnswers(
      rollouts,
      (i) => taskOf((tasks[i] as EvaluationTask).task).request,
      parts.format,
    ),
  };
}

/** `[tasks]` judged rollouts of one version. */
export async function rollOutVersion(
  parts: VersionedParts,
  tasks: readonly EvaluationTask[],
  version: PolicyVersionId,
  adapter: Adapter | null,
  signal: AbortSignal,
): Promise<EnvironmentRollout[]> {
  await parts.policy.setAdapter(version, adapter);
  return rollOutTasks({
    tasks,
    rollOut: async ({ task, seed }) => {
      const rollout = await judgedRollout(parts, task, seed, signal);
      parts.onTask?.();
      return rollout;
    },
    sampling: parts.sampling,
    signal,
  });
}

function tasksOf(frozen: FrozenTasks): EvaluationTask[] {
  return frozenReferences(frozen).map((task, i) => ({
    place: i,
    task,
    seed: derivedSeed(frozen.seed, i),
  }));
}
