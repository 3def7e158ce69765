/** Records that name a seed which their tokens were not drawn from, with the log-probs that the policy gives the tokens. */
import { FULL_SUPPORT, spanSeed, toTrainingSamples, type Trajectory } from "@waggle/protocol";
import type { AdaptivePolicy } from "@waggle/runtime/node";

/** The client that every record of these tests names. */
export const CLIENT = {
  build: "tamper",
  backend: "wasm",
  device: "wasm x1",
  crossOriginIsolated: false,
} as const;

/** The record with the seed that the edge gave for it. */
export const named = (record: Trajectory, samplingSeed: number): Trajectory => ({
  ...record,
  client: CLIENT,
  samplingSeed,
});

/** The record as if a page had sampled it at temperature 1 from this seed, with the policy's current version. */
export async function claimed(
  policy: AdaptivePolicy,
  record: Trajectory,
  seed: number,
): Promise<Trajectory> {
  const [sample] = toTrainingSamples(record);
  if (sample === undefined) return named(record, seed);
  const { sequence, spans } = sample;
  const grammars = spans.flatMap(({ segment, start }) => {
    const spec = segment.grammar === null ? undefined : record.grammars?.[segment.grammar];
    if (spec === undefined) return [];
    const { tokenBudget = 0, tokenIds } = segment;
    return [{ spec, start, end: start + tokenIds.length, tokenBudget }];
  });
  const scores = await policy.score({
    tokenIds: sequence.tokenIds,
    sampling: FULL_SUPPORT,
    ...(grammars.length === 0 ? {} : { grammars }),
  });
  const policyVersion = policy.currentVersion;
  let number = 0;
  const segments = record.segments.map((segment) => {
    const start = spans.find((span) => span.segment === segment)?.start;
    if (segment.kind === "given" || start === undefined) return segment;
    const { keptTokenIds: _, ...rest } = segment;
    const end = start + segment.tokenIds.length;
    return {
      ...rest,
      policyVersion,
      sampling: { ...FULL_SUPPORT, seed: spanSeed(seed, number++) },
      behaviorLogProbs: scores.behaviorLogProbs.slice(start, end),
      rawLogProbs: scores.rawLogProbs.slice(start, end),
      entropies: scores.entropies.slice(start, end),
    };
  });
  return named({ ...record, segments, policyVersion }, seed);
}
