/**
 * Converts a recorded trajectory to training sequences. Each leaf of the segment tree becomes one
 * sequence. The loss mask covers exactly the sampled tokens, and a token shared by branches is trained
 * once.
 */
import type { TrainSequence } from "./train-engine.ts";
import { pathTo } from "./trajectory.ts";
import type { SampledSegment, Segment, Trajectory } from "./trajectory.ts";

/** One path of a trajectory from root to leaf. All arrays are `[T]`. */
export type TrainingSample = {
  readonly sequence: TrainSequence;
  readonly lossMask: readonly boolean[];
  /** As recorded; 0 for tokens that were not sampled. */
  readonly behaviorLogProbs: readonly number[];
  /** Sampled segments that this sample trains, with the index of their first token. */
  readonly spans: readonly { readonly segment: SampledSegment; readonly start: number }[];
};

/** The training samples of a trajectory; empty if nothing was sampled. */
export function toTrainingSamples(trajectory: Trajectory): TrainingSample[] {
  const parents = new Set(trajectory.segments.map(({ parent }) => parent));
  const trained = new Set<string>();
  const samples: TrainingSample[] = [];
  for (const leaf of trajectory.segments.filter(({ id }) => !parents.has(id))) {
    const path = withoutTail(pathTo(trajectory, leaf.id));
    const fresh = path.filter((segment) => segment.kind === "sampled" && !trained.has(segment.id));
    if (fresh.length === 0) continue;
    for (const { id } of fresh) trained.add(id);
    samples.push(toSample(path, new Set(fresh.map(({ id }) => id))));
  }
  return samples;
}

/** Drops given tokens after the last sampled one, since no loss depends on them. */
function withoutTail(path: readonly Segment[]): Segment[] {
  const last = path.findLastIndex(({ kind }) => kind === "sampled");
  return path.slice(0, last + 1);
}

function toSample(path: readonly Segment[], fresh: ReadonlySet<string>): TrainingSample {
  const tokenIds: number[] = [];
  const temperatures: number[] = [];
  const keptTokenIds: (readonly number[] | null)[] = [];
  const lossMask: boolean[] = [];
  const behaviorLogProbs: number[] = [];
  const spans: { segment: SampledSegment; start: number }[] = [];
  for (const segment of path) {
    const sampled = segment.kind === "sampled" ? segment : null;
    if (sampled !== null && fresh.has(sampled.id)) {
      spans.push({ segment: sampled, start: tokenIds.length });
    }
    for (const [t, tokenId] of segment.tokenIds.entries()) {
      tokenIds.push(tokenId);
      temperatures.push(sampled?.sampling.temperature ?? 1);
      keptTokenIds.push(sampled?.keptTokenIds?.[t] ?? null);
      lossMask.push(sampled !== null && fresh.has(sampled.id));
      behaviorLogProbs.push(sampled?.behaviorLogProbs[t] ?? 0);
    }
  }
  return {
    sequence: {
      tokenIds,
      ...(temperatures.every((value) => value === 1) ? {} : { temperatures }),
      ...(keptTokenIds.every((kept) => kept === null) ? {} : { keptTokenIds }),
    },
    lossMask,
    behaviorLogProbs,
    spans,
  };
}
