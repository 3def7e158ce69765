/** Joins two consecutive pieces of one generation into one sample. */
import type { Sample } from "@waggle/protocol";

/** The sample that consists of both pieces. Its other members are those of the second. */
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
