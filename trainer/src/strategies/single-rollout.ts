/**
 * Building blocks of strategies: one rollout of the policy or of a demonstrator, and concurrent
 * work over the tasks of a step.
 */
import { type JudgedTrajectory, type JudgedGroup, toJudgedTrajectory } from "@waggle/learning";
import type { TaskReference } from "@waggle/protocol";
import { inLanes } from "../rollouts/lanes.ts";
import { derivedSeed, seededRandom } from "@waggle/protocol";
import { told } from "@waggle/environments";
import { demonstratedRollout } from "../rollouts/demonstrated-rollout.ts";
import { turnOwners } from "../rollouts/divided-calls.ts";
import { type RolloutOptions, environmentRollout } from "../rollouts/environment-rollout.ts";
import { roleRollout } from "../rollouts/role-policy.ts";
import { nameOf, taskOf } from "../rollouts/task-names.ts";
import { rewardsOf } from "../rollouts/turn-rewards.ts";
import { DEMONSTRATION_FORMS } from "./demonstration-forms.ts";
import type { CollectOptions, CollectParts, PlanOf, RolloutStep } from "./strategy.ts";

/** Options that a strategy can change for one rollout. */
export type RolloutChanges = Partial<RolloutOptions> &
  Partial<Pick<JudgedTrajectory, "branch" | "role" | "mode">>;

/** One rollout of the policy, or of the named role. */
export async function rollout(
  parts: CollectParts,
  { sampling, maxTurns, seed, staleness }: CollectOptions,
  task: TaskReference,
  place: readonly number[],
  changes: RolloutChanges = {},
): Promise<JudgedTrajectory> {
  const { format, reader, roles, signal } = parts;
  const { branch = null, role = "policy", mode = null, ...rolloutOptions } = changes;
  const { policy, spec } =
    roles === undefined ? parts : roleRollout(roles, parts.policy, parts.spec, task, role);
  const reading = reader?.(place[0] ?? 0) ?? null;
  const { record: trajectory, verification } = await environmentRollout(
    policy,
    format,
    spec,
    task,
    {
      sampling,
      maxTurns,
      seed: derivedSeed(seed, ...place),
      ...rolloutOptions,
      guide: reading?.guide,
    },
    signal,
  );
  return toJudgedTrajectory(trajectory, verification, {
    read: reading?.before() ?? null,
    ...turnOwners(roles, trajectory),
    staleness,
    branch,
    role,
    mode,
    ...rewardsOf(trajectory, verification),
  });
}

/** Continues a stored trajectory's task from one of its turns. */
export type Continue = (
  trajectory: JudgedTrajectory,
  place: readonly number[],
  changes: RolloutChanges,
) => Promise<JudgedTrajectory>;

/** A function that continues stored trajectories of this step. */
export function continuing({ parts, options }: RolloutStep): Continue {
  return (trajectory, place, changes) =>
    rollout(parts, options, taskOf(trajectory), place, changes);
}

/** One demonstration; demonstrators, sentences and forms rotate over the tasks. */
export async function demonstration(
  plan: Omit<PlanOf<"demos">, "kind">,
  { spec, format, policy, roles }: CollectParts,
  seed: number,
  task: TaskReference,
  at: number,
  i: number,
): Promise<JudgedTrajectory> {
  const { size, mistakes, modes = [], forms = [], names = [], neighbors } = plan;
  const makers = typeof mistakes === "number" ? [mistakes] : mistakes;
  const maker = at * size + i;
  const mode = modes[(at + i) % modes.length] ?? null;
  const form = forms[i % forms.length] ?? "task";
  const { trajectory, verification } = await demonstratedRollout(
    DEMONSTRATION_FORMS[form](spec),
    neighbors === true
      ? spec.reference(derivedSeed(seed, at, i, 0x4e), "train", spec.levelOf(task))
      : task,
    format,
    {
      random: seededRandom(seed, at, i),
      mistakes: makers[maker % makers.length] ?? 0,
      contextLength: policy.contextLength,
      ...(mode === null ? {} : { around: told(mode) }),
    },
  );
  const role = names[maker % names.length] ?? (form === "task" ? "policy" : form);
  return toJudgedTrajectory(trajectory, verification, {
    mode,
    role,
    ...turnOwners(roles, trajectory),
    ...rewardsOf(trajectory, verification),
  });
}

/**
 * One group per task. A group that lost a rollout is returned empty, because the lost rollout may be one that its
 * siblings are compared with.
 */
export async function byTask(
  { lost }: Pick<CollectParts, "lost">,
  tasks: readonly TaskReference[],
  run: (task: TaskReference, at: number) => Promise<JudgedTrajectory[]>,
): Promise<JudgedGroup[]> {
  return inLanes(tasks.length, async (at) => {
    const task = tasks[at] as TaskReference;
    try {
      return { task: nameOf(task), trajectories: await run(task, at) };
    } catch (error) {
      if (lost === undefined) throw error;
      lost.add(error);
      return { task: nameOf(task), trajectories: [] };
    }
  });
}

/** Calls `run` `count` times concurrently. Rejects with the first error once none is running. */
export async function many(
  count: number,
  run: (i: number) => Promise<JudgedTrajectory>,
): Promise<JudgedTrajectory[]> {
  const ended = await Promise.allSettled(Array.from({ length: count }, (_, i) => run(i)));
  return ended.map((each) => {
    if (each.status === "rejected") throw each.reason;
    return each.value;
  });
}

/**
 * Finished rollouts of a group with interchangeable members; rejects with the first error if fewer
 * than two finished.
 */
export async function alike(
  { lost }: Pick<CollectParts, "lost">,
  count: number,
  run: (i: number) => Promise<JudgedTrajectory>,
): Promise<JudgedTrajectory[]> {
  const ended = await Promise.allSettled(Array.from({ length: count }, (_, i) => run(i)));
  const made = ended.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  const errors = ended.flatMap((each) =>
    each.status === "rejected" ? [each.reason as unknown] : [],
  );
  if (errors.length > 0 && (lost === undefined || made.length < 2)) throw errors[0];
  for (const error of errors) lost?.add(error);
  return made;
}
