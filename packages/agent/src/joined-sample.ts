/** One generation that was made in pieces. */
import type { Sample } from "@waggle/protocol";

/** One generation in two pieces. */
export function joinedSample(first: Sample, second: Sample): Sample {
  return {
    ...second,
    tokenIds: [...first.tokenIds, ...second.tokenIds],
    behaviorLogProbs: [...first.behaviorLogProbs, ...second.behaviorLogProbs],
    rawLogProbs: [...first.rawLogProbs, ...second.rawLogProbs],
    entropies: [...first.entropies, ...second.entropies],
    ...(first.keptTokenIds && second.keptTokenIds
      ? { keptTokenIds: [...first.keptTokenIds, ...second.keptTokenIds] }
      : {}),
  };
}
