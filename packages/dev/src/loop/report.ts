/** The loop's report: counts of the pages and of the edge, and their differences. */
import type {
  MetricsRow,
  OperatorSummary,
  PoliciesResponse,
  TrajectoryRow,
} from "@waggle/protocol";
import type { SaidAt, VisitorStatus } from "../people/visitor-status.ts";

/** Success of the base and of the deployed version; `final` is `null` if no version but the base is deployed. */
type Compared = { readonly base: number; readonly final: number | null };

/** Success at temperature 1, and at other temperatures as a control. */
export type Evaluation = Compared & {
  readonly tasks: number;
  readonly temperatures: readonly (Compared & {
    /** `greedy`, or the temperature as a number. */
    readonly temperature: string;
  })[];
  /** At the tasks whose wording or type training does not have; `null` if there are none. */
  readonly unseenPatterns: (Compared & { readonly tasks: number }) | null;
};

/** What people did in a live run. */
type LiveReport = {
  /** Messages that people sent. */
  readonly requests: number;
  /** Requests whose person said how the answer was: the sum of the next two. */
  readonly answered: number;
  readonly good: number;
  readonly bad: number;
  /**
   * Time from what a person said to the first page with a policy that learned from it. Both have the clock of this machine.
   */
  readonly feedbackToPageSeconds: Delays;
};

/** Median and maximum in seconds; `null` if there is nothing to measure. */
type Delays = { readonly median: number | null; readonly max: number | null };

/** The report. Field names are stable, because scripts read them. */
export type LoopReport = {
  readonly success: {
    readonly base: number | null;
    readonly final: number | null;
    readonly tasks: number;
    readonly temperatures: Evaluation["temperatures"];
    readonly unseenPatterns: Evaluation["unseenPatterns"];
  };
  readonly published: number;
  readonly promoted: number;
  readonly logProbGap: { readonly mean: number | null; readonly max: number | null };
  readonly uploads: {
    readonly accepted: number;
    readonly learned: number;
    readonly skipped: number;
    readonly rejected: number;
    readonly waiting: number;
    /** Accepted by the edge according to the pages, but missing at the edge. */
    readonly lost: number;
    /** Learned according to the trainer, beyond the distinct trajectories at the edge. */
    readonly twice: number;
  };
  /** Rewards of practice tasks, where the site collects nothing else; otherwise `null`. */
  readonly rewards: {
    /** Accepted by the edge according to the pages. */
    readonly accepted: number;
    /** Learning steps that were taken from rewards. */
    readonly steps: number;
  } | null;
  readonly pages: { readonly open: number; readonly onNewest: number; readonly reloads: number };
  /** Time from the upload of a trajectory to the first page with a policy that learned from it. */
  readonly uploadToPageSeconds: Delays;
  /** People who typed requests; `null` in a run of practice. */
  readonly live: LiveReport | null;
  /** Totals of all steps: observed and sampled tokens in forward and backward passes. */
  readonly training: { readonly tokens: number; readonly tokensPerSecond: number | null };
  readonly backend: string;
  readonly control: boolean;
  readonly minutes: number;
};

/** The counts of both sides. */
export type LoopEvidence = {
  readonly statuses: readonly VisitorStatus[];
  readonly summary: OperatorSummary;
  readonly policies: PoliciesResponse;
  readonly rows: readonly TrajectoryRow[];
  /** The trainer's own log, one row per step. */
  readonly metrics: readonly Pick<MetricsRow, "metrics">[];
  readonly evaluation: Evaluation | null;
  /** Thumbs that people gave in the pages; `null` in a run of practice. */
  readonly reactions: readonly SaidAt[] | null;
  /** Whether the site collects rewards and no trajectories. */
  readonly collectsRewards: boolean;
  readonly control: boolean;
  readonly minutes: number;
};

const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

const median = (values: readonly number[]): number | null => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length === 0) return null;
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? null)
    : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
};

const delaysOf = (seconds: readonly number[]): Delays => ({
  median: median(seconds),
  max: seconds.length === 0 ? null : Math.max(...seconds),
});

/**
 * Seconds from a moment of each learned trajectory to the first page with a version that learned from it. Trajectories
 * whose effect has not reached a page are left out.
 *
 * @param momentOf - in ms since 1970; `undefined` leaves the trajectory out
 */
function secondsToPage(
  { rows, policies, statuses }: Pick<LoopEvidence, "rows" | "policies" | "statuses">,
  momentOf: (row: TrajectoryRow) => number | undefined,
): number[] {
  const firstRun = new Map<number, number>();
  for (const status of statuses) {
    for (const { version, at } of status.versions) {
      firstRun.set(version, Math.min(firstRun.get(version) ?? Infinity, at));
    }
  }
  return rows.flatMap((row) => {
    const step = row.learnedAtStep;
    const moment = momentOf(row);
    if (row.status !== "learned" || step === null || moment === undefined) return [];
    const times = policies.policies
      .filter((policy) => policy.step >= step)
      .flatMap((policy) => firstRun.get(policy.version) ?? []);
    return times.length === 0 ? [] : [(Math.min(...times) - moment) / 1000];
  });
}

/** What people did in a live run. */
function liveReport(evidence: LoopEvidence, reactions: readonly SaidAt[]): LiveReport {
  const people = evidence.statuses.map((status) => status.people);
  const saidAt = new Map(reactions.map(({ trajectoryId, at }) => [trajectoryId, at]));
  return {
    requests: sum(people.map(({ requests }) => requests)),
    answered: sum(people.map(({ answered }) => answered)),
    good: sum(people.map(({ good }) => good)),
    bad: sum(people.map(({ bad }) => bad)),
    feedbackToPageSeconds: delaysOf(secondsToPage(evidence, ({ id }) => saidAt.get(id))),
  };
}

/** Rewards of all pages that the edge has accepted, at a site that collects nothing else. */
export const acceptedRewards = (statuses: readonly VisitorStatus[]): number =>
  sum(statuses.map(({ trajectories }) => trajectories.uploaded));

/** Combines the counts of both sides. */
export function loopReport(evidence: LoopEvidence): LoopReport {
  const { statuses, summary, policies, rows, metrics } = evidence;
  const { learned, rejected, skipped, waiting, leased, received } = summary.trajectories;
  const acceptedByPages = sum(statuses.map((status) => status.outbox.sent));
  const delays = secondsToPage(evidence, ({ receivedAt }) => Date.parse(receivedAt));
  const steps = metrics.map((row) => row.metrics);
  const learnedByTrainer = sum(steps.map((step) => step["trajectories"] ?? 0));
  const trained = sum(steps.map((step) => step["trainedTokens"] ?? 0));
  const seconds = sum(steps.map((step) => step["seconds"] ?? 0));
  // All re-scored trajectories, including rejected ones, because those that were learned from passed a limit on
  // this number.
  const scored = rows.filter((row) => row.logProbGapMean !== null);
  const tokens = sum(scored.map((row) => row.tokens));
  const gap = sum(scored.map((row) => (row.logProbGapMean ?? 0) * row.tokens));
  return {
    success: {
      base: evidence.evaluation?.base ?? null,
      final: evidence.evaluation?.final ?? null,
      tasks: evidence.evaluation?.tasks ?? 0,
      temperatures: evidence.evaluation?.temperatures ?? [],
      unseenPatterns: evidence.evaluation?.unseenPatterns ?? null,
    },
    published: policies.policies.filter((policy) => policy.version > 0).length,
    promoted: policies.policies.filter(
      (policy) => policy.version > 0 && (policy.status === "stable" || policy.status === "retired"),
    ).length,
    logProbGap: {
      mean: tokens === 0 ? null : gap / tokens,
      max:
        tokens === 0 ? null : scored.reduce((max, row) => Math.max(max, row.logProbGapMax ?? 0), 0),
    },
    uploads: {
      accepted: received,
      learned,
      skipped,
      rejected,
      waiting: waiting + leased,
      lost:
        Math.max(0, acceptedByPages - received) +
        Math.abs(received - learned - rejected - skipped - waiting - leased),
      twice: Math.max(0, learnedByTrainer - learned),
    },
    rewards: evidence.collectsRewards
      ? {
          accepted: acceptedRewards(statuses),
          steps: steps.length,
        }
      : null,
    pages: {
      open: statuses.length,
      onNewest: statuses.filter((status) => status.policyVersion === policies.stable).length,
      reloads: sum(statuses.map((status) => status.reloads)),
    },
    uploadToPageSeconds: delaysOf(delays),
    live: evidence.reactions === null ? null : liveReport(evidence, evidence.reactions),
    training: {
      tokens: trained,
      tokensPerSecond: seconds === 0 ? null : Math.round(trained / seconds),
    },
    backend: [...new Set(statuses.map((status) => status.backend ?? "none"))].join(", "),
    control: evidence.control,
    minutes: Math.round(evidence.minutes * 100) / 100,
  };
}
