/** `group`: trajectories of each task from its start, in the environment that the plan defines. */
import type { JudgedTrajectory } from "@waggle/learning";
import type { TaskReference } from "@waggle/protocol";
import { type EnvironmentWrapper, requireSearch, told } from "@waggle/environments";
import { changedEnvironment } from "../rollouts/changed-environment.ts";
import { derivedSeed } from "@waggle/protocol";
import { alike, rollout, byTask, demonstration, many } from "./single-rollout.ts";
import type { CollectOptions, CollectParts, PlanOf, RolloutStrategy } from "./strategy.ts";

type Plan = PlanOf<"group">;

/** Fields of a plan that do not change how a page acts. */
const PLAIN: ReadonlySet<string> = new Set(["kind", "size"]);

export const groupRollouts: RolloutStrategy<Plan> = {
  overlaps: true,
  compared: ({ size }) => size,
  runsInPages: (plan) => Object.keys(plan).every((key) => PLAIN.has(key)),
  requireEnvironment: async ({ environments }, spec) => {
    if (environments?.some((changed) => changed?.kind === "searched") === true)
      await requireSearch(spec);
  },
  collect: (plan, { tasks, parts, options }) =>
    byTask(parts, tasks, async (task, at) => [
      ...(await members(plan, parts, (i) => member(plan, parts, options, task, at, i))),
      ...(await many(plan.references ?? 0, async (i) => ({
        ...(await demonstration({ size: 1, mistakes: 0 }, parts, options.seed, task, at, i)),
        role: "reference",
      }))),
    ]),
};

/** A group with distinct places needs all of its members; a plain group can lose some. */
function members(
  plan: Plan,
  parts: CollectParts,
  run: (i: number) => Promise<JudgedTrajectory>,
): Promise<JudgedTrajectory[]> {
  const isPlain = groupRollouts.runsInPages?.(plan) === true;
  return isPlain ? alike(parts, plan.size, run) : many(plan.size, run);
}

/** One trajectory of a group. */
function member(
  plan: Plan,
  parts: CollectParts,
  options: CollectOptions,
  task: TaskReference,
  at: number,
  i: number,
): Promise<JudgedTrajectory> {
  const mode = plan.modes?.[i % plan.modes.length] ?? null;
  const change = plan.environments?.[i % plan.environments.length] ?? null;
  const around: EnvironmentWrapper[] = mode === null ? [] : [told(mode)];
  const { spec, worldModels = {} } = parts;
  let { maxTurns } = options;
  if (change !== null) {
    const seeds = {
      taskSeed: derivedSeed(options.seed, at),
      seed: derivedSeed(options.seed, at, i),
    };
    around.push(changedEnvironment(change, { spec, task, worldModels, ...seeds }));
    if (change.kind === "trials") maxTurns = change.most * (maxTurns ?? spec.maxTurns);
  }
  return rollout(parts, { ...options, maxTurns }, task, [at, i], {
    mode,
    role: change?.kind === "toolless" ? "alone" : "policy",
    around: (instance) => around.reduce((changed, change) => change(changed), instance),
  });
}
