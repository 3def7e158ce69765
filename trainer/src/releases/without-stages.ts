/** A control: counts as if the share had never changed. */
import { EMPTY_ARM, type ArmSums, type ReleaseCounts } from "@waggle/evaluation";
import { type Arm, SOLVED } from "./simulated-release.ts";

/** The counts with the sums of all stages in the last one. */
export function withoutStages({ requests, stages }: ReleaseCounts): ReleaseCounts {
  const added = (arm: Arm): ArmSums =>
    stages.reduce(
      (sums, { metrics }) => plus(sums, metrics[SOLVED]?.[arm] ?? EMPTY_ARM),
      EMPTY_ARM,
    );
  const pooled = { [SOLVED]: { candidate: added("candidate"), stable: added("stable") } };
  return {
    requests,
    stages: stages.map((stage, i) => ({
      ...stage,
      metrics: i === stages.length - 1 ? pooled : {},
    })),
  };
}

function plus(a: ArmSums, b: ArmSums): ArmSums {
  return {
    visitors: a.visitors + b.visitors,
    values: a.values + b.values,
    total: a.total + b.total,
    squaredValues: a.squaredValues + b.squaredValues,
    products: a.products + b.products,
    squaredTotals: a.squaredTotals + b.squaredTotals,
  };
}
