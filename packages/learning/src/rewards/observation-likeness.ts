/**
 * `similarity` of observations to the request: the cosine of their token counts, an embedding without
 * training.
 */
import type { JudgedTrajectory } from "../composition/judged-trajectory.ts";
import type { RewardPart } from "../composition/part.ts";
import { cosineSimilarity } from "./similarity.ts";

/** Mean over turns of the similarity between results and request, in [0, 1]. */
export function observationLikeness(): RewardPart {
  return {
    slot: "reward",
    part: "similarity",
    needs: [],
    rewards: ({ trajectories }) =>
      trajectories.map((trajectory) => {
        const request = requestOf(trajectory);
        const turnRewards = resultsOf(trajectory).map((result) => likeness(request, result));
        const sum = turnRewards.reduce((all, value) => all + value, 0);
        return { total: sum / Math.max(1, turnRewards.length) };
      }),
  };
}

/** Tokens before the first turn: the instruction. */
function requestOf({ turns, samples }: JudgedTrajectory): readonly number[] {
  const [first] = turns;
  if (first === undefined) return [];
  return samples[first.sample]?.sequence.tokenIds.slice(0, first.start) ?? [];
}

/** Tokens between turns: the results of calls. */
function resultsOf({ turns, samples }: JudgedTrajectory): (readonly number[])[] {
  return turns.flatMap(({ sample, end }, i) => {
    const next = turns[i + 1];
    if (next === undefined || next.sample !== sample) return [];
    return [samples[sample]?.sequence.tokenIds.slice(end, next.start) ?? []];
  });
}

function likeness(a: readonly number[], b: readonly number[]): number {
  if (a.length === 0 || b.length === 0) return 0;
  const tokens = [...new Set([...a, ...b])];
  const counts = (ids: readonly number[]): number[] =>
    tokens.map((token) => ids.filter((id) => id === token).length);
  return cosineSimilarity(counts(a), counts(b));
}
