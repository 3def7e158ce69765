/**
 * The advantage slot of an update: it is told what the engine says of each token before the step, by
 * episode instead of by row.
 */
import {
  type AdvantageRows,
  type PartContext,
  type PlannedMinibatch,
  type PolicyOutputs,
  type Row,
  type ScoredGroup,
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
  groups: readonly ScoredGroup[],
  context: PartContext,
  { rows }: Pick<PlannedMinibatch, "rows">,
  outputs: TokenOutputs,
  { outputs: served }: EngineCapabilities,
): Estimated {
  // Elsewhere it was what filters chose by.
  if (advantage === null || learns !== "rewards") return {};
  const ofPolicy: PolicyOutputs = {
    logProb: byEpisode(rows, outputs.logProb),
    ...(served.includes("sumSquaredProb")
      ? { sumSquaredProb: byEpisode(rows, outputs.sumSquaredProb) }
      : {}),
  };
  const { values } = outputs;
  return advantage.estimate(groups, {
    ...context,
    outputs: ofPolicy,
    ...(values === undefined
      ? {}
      : {
          values: byEpisode(rows, values.map(beforeTokens)),
          finalValues: byEpisode(
            rows,
            values.map((row) => row.at(-1) ?? 0),
          ),
        }),
  });
}

/** `[samples]` of each episode; a sample that the minibatch leaves out has none. */
function byEpisode<T>(rows: readonly Row[], values: readonly T[]): ReadonlyMap<string, T[]> {
  const all = new Map<string, T[]>();
  for (const [b, { scored, index }] of rows.entries()) {
    const { id } = scored.episode;
    const ofEpisode = all.get(id) ?? [];
    ofEpisode[index] = values[b] as T;
    all.set(id, ofEpisode);
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
