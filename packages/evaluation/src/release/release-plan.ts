/** How a candidate is released: the growing shares, the length of the release, and the chances of wrong decisions. */
import { WaggleError } from "@waggle/protocol";

/** A share of visitors, and how long it lasts. */
type PlannedStage = {
  /** Share of visitors that the candidate serves, in (0, 1). */
  readonly share: number;
  /** Requests that the candidate serves in this stage before it may go on, as a share of the horizon. */
  readonly exposure: number;
};

/** A measured quantity in [0, 1], higher is better. */
export type ReleaseMetric = {
  readonly name: string;
  /** Share of requests that give a value, in (0, 1]. Default 1. A poor guess costs power, and no validity. */
  readonly responseRate?: number;
  /** Fall of the mean that is ignored, in [0, 1). Default 0. */
  readonly tolerance?: number;
};

/** All thresholds of the rule. `RELEASE_DEFAULTS` has one that was measured for each. */
export type ReleasePlan = {
  /** What the release is for, such as solved requests. */
  readonly primary: ReleaseMetric;
  /** What must not fall, such as readable turns. Each is tested, and each can roll the candidate back. */
  readonly guardrails: readonly ReleaseMetric[];
  /** By growing share. */
  readonly stages: readonly PlannedStage[];
  /** Requests of both arms after which a candidate that is no worse is promoted. */
  readonly horizon: number;
  /** Requests of the candidate, as a share of the horizon, after which a clearly worse one should be gone. */
  readonly exposure: number;
  /** Visitors of each arm that a metric needs before it is tested. */
  readonly minVisitors: number;
  /** Bound on the chance that a candidate is rolled back although no metric is worse. */
  readonly falseRollback: number;
  /** Bound on the chance that a candidate is promoted as better, or as no worse, although it is not. */
  readonly falsePromotion: number;
  /** How much worse a candidate that is promoted after the horizon may be at most, in (0, 1). */
  readonly margin: number;
};

/** `docs/evidence/releases.md` was measured with these. */
export const RELEASE_DEFAULTS: Omit<ReleasePlan, "primary"> = {
  guardrails: [],
  stages: [
    { share: 0.01, exposure: 0.0003 },
    { share: 0.02, exposure: 0.0007 },
    { share: 0.05, exposure: 0.004 },
    { share: 0.1, exposure: 0.045 },
    { share: 0.25, exposure: 0.02 },
    { share: 0.5, exposure: 0.03 },
  ],
  horizon: 10_000,
  exposure: 0.05,
  minVisitors: 20,
  falseRollback: 0.01,
  falsePromotion: 0.05,
  margin: 0.05,
};

/** @throws WaggleError `INVALID_ARGUMENT` for a plan that cannot be followed, naming the option. */
export function requirePlan(plan: ReleasePlan): void {
  const { primary, guardrails, stages, horizon, exposure, minVisitors, margin } = plan;
  const metrics = [primary, ...guardrails];
  const names = metrics.map(({ name }) => name);
  const shares = stages.map(({ share }) => share);
  const problems: readonly (readonly [boolean, string])[] = [
    [new Set(names).size < names.length, "names of metrics must be unique"],
    [
      metrics.some(({ responseRate = 1 }) => !(responseRate > 0 && responseRate <= 1)),
      "a responseRate must be in (0, 1]",
    ],
    [
      metrics.some(({ tolerance = 0 }) => !(tolerance >= 0 && tolerance < 1)),
      "a tolerance must be in [0, 1)",
    ],
    [stages.length === 0, "stages must not be empty"],
    [
      shares.some((share, i) => !(share > (shares[i - 1] ?? 0) && share < 1)),
      "the shares of stages must grow and be in (0, 1)",
    ],
    [stages.some((stage) => !(stage.exposure > 0)), "the exposure of a stage must be above 0"],
    [!Number.isSafeInteger(horizon) || horizon < 1, "horizon must be a whole number above 0"],
    [!(exposure > 0 && exposure < 1), "exposure must be in (0, 1)"],
    [!(minVisitors >= 2), "minVisitors must be at least 2"],
    [!(margin > 0 && margin < 1), "margin must be in (0, 1)"],
  ];
  const problem = problems.find(([is]) => is);
  if (problem === undefined) return;
  throw new WaggleError("INVALID_ARGUMENT", `the plan of a release is not valid: ${problem[1]}`);
}

/**
 * The `size` of a comparison after so many requests of the candidate, if every request gives a value and the
 * plan's shares are followed.
 */
export function sizeAfterExposure({ stages, horizon }: ReleasePlan, exposure: number): number {
  let [size, left] = [0, exposure * horizon];
  for (const [i, stage] of stages.entries()) {
    const isLast = i === stages.length - 1;
    const served = isLast ? left : Math.min(left, stage.exposure * horizon);
    size += served * (1 - stage.share);
    left -= served;
  }
  return Math.max(1, size);
}

/** The same after as many requests of both arms as the horizon has. */
export function sizeAtHorizon(plan: ReleasePlan): number {
  const { stages, horizon } = plan;
  let [exposure, left] = [0, 1];
  for (const [i, stage] of stages.entries()) {
    const isLast = i === stages.length - 1;
    const requests = isLast ? left : Math.min(left, stage.exposure / stage.share);
    exposure += requests * stage.share;
    left -= requests;
  }
  return sizeAfterExposure({ ...plan, horizon }, exposure);
}
