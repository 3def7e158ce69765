/**
 * The advantage slot of an update: it is told what the engine says of each token before the step, by
 * trajectory instead of by row.
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

export type Estimated = {
  readonly advantages?: AdvantageRows;
  readonly returns?: AdvantageRows;
  readonly state?: StateChange;
};

/** @param outputs - `[rows]` of the minibatch. */
export function estimatedAdvantages(
  { advantage, learns }: Stage,
  groups: readonly RewardedGroup[],
  context: PartContext,
  { rows }: Pick<PlannedMinibatch, "rows">,
  outputs: TokenOutputs,
  { outputs: served }: EngineCapabilities,
): Estimated {
  // Elsewhere it was what filters chose by.
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

/** `[samples]` of each trajectory; a sample that the minibatch leaves out has none. */
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

/** An engine's value of a token is that of the state after it; estimators want the one before. */
export function beforeTokens(row: Float32Array): Float32Array {
  const shifted = new Float32Array(row.length);
  shifted.set(row.subarray(0, -1), 1);
  return shifted;
}

/** The way back, for derivatives. */
export function afterTokens(row: Float64Array): Float64Array {
  const shifted = new Float64Array(row.length);
  shifted.set(row.subarray(1), 0);
  return shifted;
}
