/** The plan of a release: the site's setting when the release began, with defaults for the rest. */
import { RELEASE_DEFAULTS, type ReleasePlan } from "@waggle/evaluation";
import { type ReleaseSetting, type SiteMetrics, THUMB, WaggleError } from "@waggle/protocol";
import type { Settings } from "../settings.ts";

/** How the values of a metric become numbers from 0, for `worst`, to 1, for `best`. */
type CountedMetric = {
  readonly name: string;
  readonly type: "thumb" | "boolean" | "number";
  readonly worst: number;
  readonly best: number;
};

/** What a release does and counts. A later change of the site's settings does not change it. */
export type StoredPlan = {
  readonly rule: ReleasePlan;
  readonly metrics: readonly CountedMetric[];
};

/**
 * The plan of the next release; `null` if the site releases at once.
 * @throws WaggleError `INVALID_ARGUMENT` for a metric that the site does not declare, or one of single turns
 */
export function releasePlanOf({ GATE_RELEASE, METRICS }: Settings): StoredPlan | null {
  if (GATE_RELEASE === null) return null;
  const { metric, guardrails = [], responseRate } = GATE_RELEASE;
  const { horizon = RELEASE_DEFAULTS.horizon, stages = RELEASE_DEFAULTS.stages } = GATE_RELEASE;
  return {
    rule: {
      ...RELEASE_DEFAULTS,
      primary: { name: metric, ...(responseRate === undefined ? {} : { responseRate }) },
      guardrails: guardrails.map((name) => ({ name })),
      horizon,
      stages,
    },
    metrics: [metric, ...guardrails].map((name) => countedMetric(name, METRICS)),
  };
}

function countedMetric(name: ReleaseSetting["metric"], metrics: SiteMetrics): CountedMetric {
  if (name === THUMB) return { name, type: "thumb", worst: 0, best: 1 };
  const declared = Object.hasOwn(metrics, name) ? metrics[name] : undefined;
  if (declared === undefined) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `a release needs a metric that the site declares, and ${name} is none; change GATE_RELEASE or METRICS`,
    );
  }
  if (declared.level === "turn") {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `a release compares requests, and ${name} is a metric of single turns; change GATE_RELEASE or METRICS`,
    );
  }
  const [low, high] = declared.type === "number" ? declared.range : [0, 1];
  const [worst, best] = declared.better === "higher" ? [low, high] : [high, low];
  return { name, type: declared.type, worst, best };
}
