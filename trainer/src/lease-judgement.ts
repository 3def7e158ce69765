/**
 * From a lease to groups that carry a signal, with an outcome for every trajectory of it. A group
 * is what is left of it after the checks: its advantages are relative to those.
 */
import { canonicalJson, type LeasedGroup, type TrajectoryOutcome } from "@waggle/protocol";
import type { EdgeRecipe } from "./edge-recipe.ts";
import { groupSignal, type LearnableGroup, type LearnableTrajectory } from "./learnable-group.ts";
import type { HeldLease } from "./lease-holder.ts";
import type { TrajectoryChecker } from "./trajectory-check.ts";
import type { TrainerState } from "./trainer-state.ts";
import { nameOf } from "./learner/rollouts/task-names.ts";

export type JudgedLease = {
  readonly lease: HeldLease;
  /** Groups to learn from. */
  readonly groups: readonly LearnableGroup[];
  /** One per trajectory; `learned` without a step marks what is still to be learned. */
  readonly outcomes: TrajectoryOutcome[];
  /** Whose attempts passed the checks, whether there was something to learn from them or not. */
  readonly visitors: ReadonlySet<string>;
};

/** Checks each trajectory of a lease and filters its groups. */
export async function judgeLease(
  lease: HeldLease,
  recipe: EdgeRecipe,
  checker: TrajectoryChecker,
  state: TrainerState,
  betweenTrajectories: () => Promise<void>,
): Promise<JudgedLease> {
  const outcomes = (lease.unreadable ?? []).map((digest): TrajectoryOutcome => ({
    digest,
    status: "rejected",
    reason: "unreadable",
  }));
  const groups: LearnableGroup[] = [];
  const visitors = new Set<string>();
  for (const group of lease.groups) {
    const judged = await judgeGroup(group, recipe, checker, state, betweenTrajectories);
    outcomes.push(...judged.outcomes);
    if (judged.learnable !== null) groups.push(judged.learnable);
    for (const visitor of judged.visitors) visitors.add(visitor);
  }
  return { lease, groups, outcomes, visitors };
}

/** The same without trajectories whose visitors were forgotten; groups are filtered again. */
export async function withoutForgotten(
  judged: JudgedLease,
  recipe: EdgeRecipe,
  forgotten: ReadonlySet<string>,
): Promise<JudgedLease> {
  const reasons = new Map<string, string>();
  const groups: LearnableGroup[] = [];
  for (const group of judged.groups) {
    const trajectories = group.trajectories.filter(({ digest }) => !forgotten.has(digest));
    const left = { ...group, trajectories };
    const signal = await groupSignal(recipe, left);
    if (signal.isLearnable) groups.push(left);
    for (const [digest, reason] of signal.reasons) reasons.set(digest, reason);
    for (const { digest } of group.trajectories) {
      if (forgotten.has(digest)) reasons.set(digest, "forgotten");
    }
  }
  const outcomes = judged.outcomes.map((outcome): TrajectoryOutcome => {
    const reason = reasons.get(outcome.digest);
    return reason === undefined ? outcome : { ...outcome, status: "skipped", reason };
  });
  return { ...judged, groups, outcomes };
}

async function judgeGroup(
  group: LeasedGroup,
  recipe: EdgeRecipe,
  checker: TrajectoryChecker,
  state: TrainerState,
  betweenTrajectories: () => Promise<void>,
): Promise<{
  outcomes: TrajectoryOutcome[];
  learnable: LearnableGroup | null;
  visitors: string[];
}> {
  const outcomes: TrajectoryOutcome[] = [];
  const passed: { trajectory: LearnableTrajectory; outcome: TrajectoryOutcome }[] = [];
  const seen = new Set<string>();
  const byVersion = group.trajectories.toSorted(
    (a, b) => a.trajectory.policyVersion - b.trajectory.policyVersion,
  );
  for (const leased of byVersion) {
    await betweenTrajectories();
    const earlier = Object.hasOwn(state.learned, leased.digest)
      ? state.learned[leased.digest]
      : undefined;
    if (earlier !== undefined) {
      outcomes.push(earlier);
      continue;
    }
    // Log-probs and seeds of two honest attempts differ, also where their tokens are the same.
    const content = canonicalJson(leased.trajectory.segments);
    if (seen.has(content)) {
      outcomes.push({ digest: leased.digest, status: "rejected", reason: "replayed" });
      continue;
    }
    seen.add(content);
    const { trajectory, outcome } = await checker.check(leased, group, state);
    if (trajectory === null) outcomes.push(outcome);
    else passed.push({ trajectory, outcome });
  }
  if (passed.length === 0) return { outcomes, learnable: null, visitors: [] };
  const learnable = {
    task: group.task === null ? group.groupId : nameOf(group.task),
    trajectories: passed.map(({ trajectory }) => trajectory),
  };
  const signal = await groupSignal(recipe, learnable);
  for (const { outcome } of passed) {
    const reason = signal.reasons.get(outcome.digest);
    outcomes.push(reason === undefined ? outcome : { ...outcome, status: "skipped", reason });
  }
  const visitors = passed.flatMap(({ trajectory: { visitorId } }) => visitorId ?? []);
  return { outcomes, learnable: signal.isLearnable ? learnable : null, visitors };
}
