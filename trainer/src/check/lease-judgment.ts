/**
 * Turns a lease into rewarded groups, with an outcome for every trajectory. A group contains the
 * trajectories that pass the checks, and its advantages are relative to those. Filters judge all
 * waiting groups together.
 */
import {
  canonicalJson,
  type LeasedGroup,
  type LeasedTrajectory,
  SIGNAL_STOPPED,
  type TrajectoryOutcome,
} from "@waggle/protocol";
import type { EdgeRecipe } from "../recipes/edge-recipe.ts";
import { forgingVisitors, type SentOutcome } from "./forged-share.ts";
import type { LearnableGroup, LearnableTrajectory, PresentSenders } from "./learnable-group.ts";
import type { HeldLease } from "../source/lease-holder.ts";
import { QUARANTINED, skippedOutcome } from "../evaluation/skipped-outcome.ts";
import { brokenRetries, type RetryRole, retryRoles } from "./retried-answers.ts";
import { type StoppedSignals, type StrippedTrajectory, withoutStopped } from "./stopped-signals.ts";
import type { TrajectoryChecker } from "./trajectory-check.ts";
import { NO_FEEDBACK } from "./feedback-check.ts";
import type { TrainerState } from "../checkpoint/trainer-state.ts";
import { taskName } from "@waggle/learning";
import {
  type ComingStep,
  type RewardedLearnable,
  rewardedForStep,
  type WaitingStep,
} from "./waiting-step.ts";

/** Differences between page and environment in the outcomes of one lease. */
const DIFFERENCES = 16;

/** A lease with its checked and rewarded groups. */
export type JudgedLease = {
  readonly lease: HeldLease;
  /** Groups to train on, rewarded for the coming step. */
  readonly groups: readonly RewardedLearnable[];
  /**
   * One per trajectory; `learned` without a step marks a trajectory that is still to be trained on.
   */
  readonly outcomes: TrajectoryOutcome[];
  readonly present: PresentSenders;
  /** Digests of trajectories without some of their feedback, because an operator stopped its signal. */
  readonly stripped: ReadonlySet<string>;
};

const NONE: StoppedSignals = new Set();

/**
 * Checks each trajectory of a lease and rewards its groups.
 *
 * @param stopped - signals to leave out.
 */
export async function judgeLease(
  lease: HeldLease,
  recipe: EdgeRecipe,
  checker: TrajectoryChecker,
  state: TrainerState,
  coming: ComingStep,
  betweenTrajectories: () => Promise<void>,
  stopped: StoppedSignals = NONE,
): Promise<JudgedLease> {
  const outcomes = (lease.unreadable ?? []).map((digest): TrajectoryOutcome => ({
    digest,
    status: "rejected",
    reason: "unreadable",
  }));
  const checked: LearnableGroup[] = [];
  const sent: SentOutcome[] = [];
  const stripped = new Set<string>();
  const strip = stripping(recipe, stopped, stripped);
  for (const group of lease.groups) {
    const roles =
      recipe.feedback?.retry === undefined
        ? new Map<string, RetryRole>()
        : retryRoles(group.trajectories, stopped.has("message:retry"));
    const judged = await judgeGroup(group, checker, state, betweenTrajectories, strip, roles);
    outcomes.push(...judged.outcomes);
    const visitors = new Map(group.trajectories.map((one) => [one.digest, one.visitorId]));
    for (const outcome of judged.outcomes) {
      sent.push({ visitorId: visitors.get(outcome.digest) as string, outcome });
    }
    const task = group.task === null ? group.groupId : taskName(group.task);
    checked.push({ task, trajectories: judged.passed });
  }
  const forging = forgingVisitors(sent);
  const distrusted = new Map(
    sent
      .filter(({ visitorId }) => forging.has(visitorId))
      .map(({ outcome }) => [outcome.digest, QUARANTINED] as const),
  );
  const groups: RewardedLearnable[] = [];
  const present = { visitor: new Set<string>(), network: new Set<string>() };
  for (const { task, trajectories: all } of checked) {
    const trajectories = all.filter(({ digest }) => !distrusted.has(digest));
    if (trajectories.length === 0) continue;
    groups.push(await rewardedForStep(recipe, { task, trajectories }, coming));
    for (const { visitorId, network } of trajectories) {
      if (visitorId !== undefined) present.visitor.add(visitorId);
      if (network !== undefined) present.network.add(network);
    }
  }
  const judged = { lease, groups, outcomes: withFewDifferences(outcomes), present, stripped };
  return withSkipped(judged, distrusted);
}

/** The outcomes with few differences: an environment that disagrees with its page often does so in all rollouts. */
function withFewDifferences(outcomes: readonly TrajectoryOutcome[]): TrajectoryOutcome[] {
  let left = DIFFERENCES;
  return outcomes.map((outcome) => {
    if (outcome.difference === undefined) return outcome;
    left -= 1;
    const { difference: _, ...rest } = outcome;
    return left >= 0 ? outcome : rest;
  });
}

/**
 * The lease without trajectories of forgotten visitors; the rest of their groups is rewarded again.
 */
export async function withoutForgotten(
  judged: JudgedLease,
  recipe: EdgeRecipe,
  forgotten: ReadonlySet<string>,
  coming: ComingStep,
): Promise<JudgedLease> {
  const gone = judged.outcomes.filter(({ digest }) => forgotten.has(digest));
  if (gone.length === 0) return judged;
  const groups: RewardedLearnable[] = [];
  for (const group of judged.groups) {
    const trajectories = group.trajectories.filter(({ digest }) => !forgotten.has(digest));
    if (trajectories.length === group.trajectories.length) groups.push(group);
    else if (trajectories.length > 0) {
      groups.push(await rewardedForStep(recipe, { ...group, trajectories }, coming));
    }
  }
  return withSkipped(
    { ...judged, groups },
    new Map(gone.map(({ digest }) => [digest, "forgotten"])),
  );
}

/** The lease without groups of which filters left nothing. */
export function withSignal(
  judged: JudgedLease,
  { groups, reasons }: Pick<WaitingStep, "groups" | "reasons">,
): JudgedLease {
  const left = judged.groups.filter((group) => groups.includes(group));
  return left.length === judged.groups.length
    ? judged
    : withSkipped({ ...judged, groups: left }, reasons);
}

/** Marks trajectories that were to be learned as skipped. */
function withSkipped(judged: JudgedLease, reasons: ReadonlyMap<string, string>): JudgedLease {
  if (reasons.size === 0) return judged;
  const outcomes = judged.outcomes.map((outcome): TrajectoryOutcome => {
    const reason = reasons.get(outcome.digest);
    const isWaiting = outcome.status === "learned" && outcome.step === undefined;
    if (reason === undefined || !isWaiting) return outcome;
    // With the stopped signal, filters might have kept it.
    const isOfSender = reason === "forgotten" || reason === QUARANTINED;
    const lacksSignal = !isOfSender && judged.stripped.has(outcome.digest);
    return skippedOutcome(outcome, lacksSignal ? SIGNAL_STOPPED : reason);
  });
  return { ...judged, outcomes };
}

/**
 * What is left of a record without stopped signals; `null` if only a stopped verifier or judge could rate it. Adds the digests of
 * records that lose something to `stripped`.
 */
function stripping(
  { feedback }: EdgeRecipe,
  stopped: StoppedSignals,
  stripped: Set<string>,
): (leased: LeasedTrajectory) => LeasedTrajectory | null {
  return (leased) => {
    if (feedback === null) {
      const signal = leased.trajectory.task === null ? "judge:requests" : "verifier";
      return stopped.has(signal) ? null : leased;
    }
    const left = withoutStopped(leased, stopped);
    if (left !== leased) stripped.add(leased.digest);
    return left;
  };
}

async function judgeGroup(
  group: LeasedGroup,
  checker: TrajectoryChecker,
  state: TrainerState,
  betweenTrajectories: () => Promise<void>,
  strip: (leased: LeasedTrajectory) => LeasedTrajectory | null,
  roles: ReadonlyMap<string, RetryRole>,
): Promise<{
  readonly outcomes: readonly TrajectoryOutcome[];
  readonly passed: readonly LearnableTrajectory[];
}> {
  const outcomes: TrajectoryOutcome[] = [];
  const passed: LearnableTrajectory[] = [];
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
    if (state.heldOut?.includes(leased.digest) === true) {
      outcomes.push({ digest: leased.digest, status: "skipped", reason: "held-out" });
      continue;
    }
    // Honest rollouts differ in log-probs and seeds even if their tokens are equal.
    const content = canonicalJson(leased.trajectory.segments);
    if (seen.has(content)) {
      outcomes.push({ digest: leased.digest, status: "rejected", reason: "replayed" });
      continue;
    }
    seen.add(content);
    const role = roles.get(leased.digest);
    if (role !== undefined && "reason" in role) {
      outcomes.push({ digest: leased.digest, status: "skipped", reason: role.reason });
      continue;
    }
    const left = strip(leased);
    if (left === null) {
      outcomes.push({ digest: leased.digest, status: "skipped", reason: SIGNAL_STOPPED });
      continue;
    }
    const sided: StrippedTrajectory = role === undefined ? left : { ...left, retry: role.side };
    const { trajectory, outcome, trials } = await checker.check(sided, group, state);
    const learnable = trials ?? (trajectory === null ? [] : [trajectory]);
    const { network, siteKey, reputation = 1 } = leased;
    const isSilent = left !== leased && outcome.reason === NO_FEEDBACK;
    if (learnable.length === 0) {
      outcomes.push(isSilent ? { ...outcome, reason: SIGNAL_STOPPED } : outcome);
    } else if (reputation === 0) {
      // Checked all the same, because verified work is what ends a quarantine.
      outcomes.push(skippedOutcome(outcome, QUARANTINED));
    } else {
      outcomes.push(outcome);
      const sender = {
        ...(network === undefined ? {} : { network }),
        ...(siteKey === undefined ? {} : { siteKey }),
      };
      passed.push(
        ...learnable.map((one) => ({
          ...one,
          ...sender,
          reputation: reputation * (one.reputation ?? 1),
        })),
      );
    }
  }
  const broken = brokenRetries(roles, passed);
  return {
    outcomes: outcomes.map((outcome) => {
      const reason = broken.get(outcome.digest);
      return reason === undefined ? outcome : skippedOutcome(outcome, reason);
    }),
    passed: passed.filter(({ digest }) => !broken.has(digest)),
  };
}
