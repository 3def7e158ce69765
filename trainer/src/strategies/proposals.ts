/**
 * Tasks that the policy proposes: proposals, and rollouts at each valid one. `joint`, the id of the
 * proposal's trajectory, links rollouts to their proposal.
 */
import type { EnvironmentSpec } from "@waggle/environments";
import { type JudgedTrajectory, toJudgedTrajectory } from "@waggle/learning";
import type { TaskReference } from "@waggle/protocol";
import { finalTextOf } from "../rollouts/final-text.ts";
import { derivedSeed, seededRandom } from "@waggle/protocol";
import { type EnvironmentWrapper, requireSearch, searched } from "@waggle/environments";
import { byTask } from "./single-rollout.ts";
import type { CollectOptions, CollectParts, PlanOf, RolloutStrategy } from "./strategy.ts";
import { proposalsOf } from "./task-proposals.ts";
import { demonstratedRollout } from "../rollouts/demonstrated-rollout.ts";
import { environmentRollout } from "../rollouts/environment-rollout.ts";
import { rewardsOf } from "../rollouts/turn-rewards.ts";

type Plan = PlanOf<"proposals">;

export const proposedTasks: RolloutStrategy<Plan> = {
  requireEnvironment: async ({ searches }, spec) => {
    const { proposer } = proposalsOf(spec, searches);
    if (searches !== undefined) await requireSearch(proposer);
  },
  collect: (plan, { tasks, parts, options }) =>
    byTask(parts, tasks, (task, at) => proposedRollouts(plan, parts, options, task, at)),
};

async function proposedRollouts(
  plan: Plan,
  parts: CollectParts,
  options: CollectOptions,
  task: TaskReference,
  at: number,
): Promise<JudgedTrajectory[]> {
  const { proposals: count, attempts, shown, searches } = plan;
  const { format, spec } = parts;
  const { proposer, solver } = proposalsOf(spec, searches);
  const alone: EnvironmentWrapper = (instance) => instance;
  const setting = { ...options, around: searches === undefined ? alone : searched };
  const solving = { ...options, around: searches === "both" ? searched : alone };
  const run = async (i: number): Promise<JudgedTrajectory[]> => {
    const set = await one(parts, setting, proposer, task, [at, i], {
      role: "proposer",
    });
    const solvable = solver(finalTextOf(set.record, format) ?? "", task);
    if (solvable === null) return [set];
    const tries = Array.from({ length: attempts }, (_, k) =>
      one(parts, solving, solvable, task, [at, i, k], {
        role: "solver",
        joint: set.id,
      }),
    );
    return [set, ...(await Promise.all(tries))];
  };
  const set = (await Promise.all(Array.from({ length: count }, (_, i) => run(i)))).flat();
  const examples = Array.from({ length: shown }, async (_, i) => {
    const { trajectory, verification } = await demonstratedRollout(proposer, task, format, {
      random: seededRandom(options.seed, at, i, 0x54),
      mistakes: 0,
      contextLength: parts.policy.contextLength,
    });
    return toJudgedTrajectory(trajectory, verification, { role: "shown" });
  });
  return [...set, ...(await Promise.all(examples))];
}

async function one(
  { policy, format, signal }: CollectParts,
  { sampling, seed, staleness, around }: CollectOptions & { readonly around: EnvironmentWrapper },
  spec: EnvironmentSpec,
  task: TaskReference,
  place: readonly number[],
  who: { readonly role: string; readonly joint?: string },
): Promise<JudgedTrajectory> {
  const { record: trajectory, verification } = await environmentRollout(
    policy,
    format,
    spec,
    task,
    { sampling, seed: derivedSeed(seed, ...place, 0x9a0), around },
    signal,
  );
  return toJudgedTrajectory(trajectory, verification, {
    ...who,
    staleness,
    ...rewardsOf(trajectory, verification),
  });
}
