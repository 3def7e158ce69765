/**
 * Runs the advantage estimator of an update on the engine's outputs from before the step, regrouped
 * from rows to trajectories.
 */
import {
  type AdvantageRows,
  type PartContext,
  type PlannedMinibatch,
  type PolicyOutputs,
  type Row,
  type RewardedGroup,
  type Stage,
  type StateChange,
} from "@waggle/learning";
import type { EngineCapabilities, TokenOutputs } from "@waggle/protocol";

/** An estimator's output; empty for a stage without advantages. */
export type Estimated = {
  readonly advantages?: AdvantageRows;
  readonly returns?: AdvantageRows;
  /** By trajectory id, the share of the absolute advantage that a correction causes. */
  readonly ofCorrection?: ReadonlyMap<string, number>;
  readonly state?: StateChange;
};

/**
 * Advantages, returns and new estimator state.
 * @param outputs - `[rows]` of the minibatch.
 * @param hindsight - log-probs with the visitors' corrections in the prompts, for an estimator that reads them.
 */
export function estimatedAdvantages(
  { advantage, learns }: Stage,
  groups: readonly RewardedGroup[],
  context: PartContext,
  { rows }: Pick<PlannedMinibatch, "rows">,
  outputs: TokenOutputs,
  { outputs: served }: EngineCapabilities,
  hindsight: AdvantageRows | undefined,
): Estimated {
  // In other stages, the advantages were only used by filters.
  if (advantage === null || learns !== "rewards") return {};
  const ofPolicy: PolicyOutputs = {
    logProb: byTrajectory(rows, outputs.logProb),
    ...(served.includes("sumSquaredProb")
      ? { sumSquaredProb: byTrajectory(rows, outputs.sumSquaredProb) }
      : {}),
  };
  const { values } = outputs;
  return advantage.estimate(groups, {
    ...context,
    outputs: ofPolicy,
    ...(hindsight === undefined ? {} : { hindsight }),
    ...(values === undefined
      ? {}
      : {
          values: byTrajectory(rows, values.map(beforeTokens)),
          finalValues: byTrajectory(
            rows,
            values.map((row) => row.at(-1) ?? 0),
          ),
        }),
  });
}

/** `[samples]` of each trajectory. A sample that is not in the minibatch has no value. */
function byTrajectory<T>(rows: readonly Row[], values: readonly T[]): ReadonlyMap<string, T[]> {
  const all = new Map<string, T[]>();
  for (const [b, { rewarded, index }] of rows.entries()) {
    const { id } = rewarded.trajectory;
    const ofTrajectory = all.get(id) ?? [];
    ofTrajectory[index] = values[b] as T;
    all.set(id, ofTrajectory);
  }
  return all;
}

/**
 * Shifts values from after each token to before it. An engine's value of a token is that of the state
 * after it; estimators need the state before it.
 */
export function beforeTokens(row: Float32Array): Float32Array {
  const shifted = new Float32Array(row.length);
  shifted.set(row.subarray(0, -1), 1);
  return shifted;
}

/** The inverse shift, for derivatives. */
export function afterTokens(row: Float64Array): Float64Array {
  const shifted = new Float64Array(row.length);
  shifted.set(row.subarray(1), 0);
  return shifted;
}
