/** Log-probs of a trajectory under the trainer's own policy, and what each seed would have to draw for its tokens. */
import {
  canonicalJson,
  type DrawInterval,
  type SampledSegment,
  type TrainingSample,
  type Trajectory,
} from "@waggle/protocol";
import type { AdaptivePolicy } from "@waggle/runtime/node";
import type { TrainerState } from "../checkpoint/trainer-state.ts";
import type { AdapterCache } from "../model/adapter-cache.ts";

/** The policy that scores and the adapters of its versions. */
type RescoringParts = {
  readonly policy: AdaptivePolicy;
  readonly adapterCache: Pick<AdapterCache, "get">;
};

/** Both `[samples][T]`. */
type Rescored = {
  /** NaN where a token cannot be scored; 0 where none was sampled. */
  readonly logProbs: number[][];
  /** `null` if they were not asked for, or the policy computes none. */
  readonly drawIntervals: (DrawInterval | null)[][] | null;
  /** The trainer's own values of each sampled segment that could be scored, by the segment's id. */
  readonly ownScores: ReadonlyMap<string, OwnScores>;
};

/** Both `[T]`, in nats. */
type OwnScores = Pick<SampledSegment, "rawLogProbs" | "entropies">;

/** The trajectory with the trainer's own entropies and raw log-probs. Recipes weigh tokens by them, and clients can forge them. */
export function withOwnScores(
  trajectory: Trajectory,
  ownScores: ReadonlyMap<string, OwnScores>,
): Trajectory {
  const segments = trajectory.segments.map((segment) =>
    segment.kind === "given" ? segment : { ...segment, ...ownScores.get(segment.id) },
  );
  return { ...trajectory, segments };
}

/**
 * Scores the sampled tokens, each at the version that its segment claims and under that segment's temperature and kept
 * set.
 *
 * @param drawnAmong - `[samples][T]` ids that grammars allowed, `null` for all; asks for the draw intervals.
 */
export async function rescore(
  { policy, adapterCache }: RescoringParts,
  samples: readonly TrainingSample[],
  state: TrainerState,
  drawnAmong: readonly (readonly (readonly number[] | null)[])[] | null,
): Promise<Rescored> {
  const logProbs = samples.map((sample) => sample.lossMask.map(() => 0));
  const drawIntervals = samples.map(({ lossMask }) =>
    lossMask.map((): DrawInterval | null => null),
  );
  const ownScores = new Map<string, OwnScores>();
  let hasIntervals = drawnAmong !== null;
  for (const [i, sample] of samples.entries()) {
    for (const { version, sampling, spans } of bySampler(sample)) {
      if (policy.currentVersion !== version) {
        const known = state.versions.find((candidate) => candidate.version === version);
        const adapter = known?.adapter ? await adapterCache.get(known.adapter) : null;
        await policy.setAdapter(version, adapter);
      }
      const { tokenIds, keptTokenIds } = sample.sequence;
      const among = drawnAmong?.[i];
      // A context longer than the model's cannot have been sampled.
      const scores =
        tokenIds.length > policy.contextLength
          ? null
          : await policy.score({
              tokenIds,
              sampling,
              ...(keptTokenIds === undefined ? {} : { keptTokenIds }),
              ...(among === undefined ? {} : { drawnAmong: among }),
            });
      if (scores !== null && scores.drawIntervals === undefined) hasIntervals = false;
      for (const { start, segment } of spans) {
        const end = start + segment.tokenIds.length;
        if (scores !== null) {
          ownScores.set(segment.id, {
            rawLogProbs: scores.rawLogProbs.slice(start, end),
            entropies: scores.entropies.slice(start, end),
          });
        }
        for (let t = start; t < end; t += 1) {
          (logProbs[i] as number[])[t] = scores?.behaviorLogProbs[t] ?? Number.NaN;
          (drawIntervals[i] as (DrawInterval | null)[])[t] = scores?.drawIntervals?.[t] ?? null;
        }
      }
    }
  }
  return { logProbs, drawIntervals: hasIntervals ? drawIntervals : null, ownScores };
}

type Sampler = {
  readonly version: number;
  readonly sampling: Pick<SampledSegment["sampling"], "temperature" | "topK" | "topP">;
  readonly spans: TrainingSample["spans"][number][];
};

/**
 * Groups the spans of a path by version and sampling options; one scoring call serves each group.
 */
function bySampler(sample: TrainingSample): Sampler[] {
  const samplers = new Map<string, Sampler>();
  for (const span of sample.spans) {
    const { policyVersion: version, sampling } = span.segment;
    const { temperature, topK, topP } = sampling;
    const key = canonicalJson([version, temperature, topK, topP]);
    const sampler = samplers.get(key) ?? {
      version,
      sampling: { temperature, topK, topP },
      spans: [],
    };
    sampler.spans.push(span);
    samplers.set(key, sampler);
  }
  return [...samplers.values()];
}
