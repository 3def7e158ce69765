/**
 * Drift of the policy in training, in nats per token, on tokens that the stable version sampled: KL(stable ‖ trained) from
 * the stable version, and KL(trained ‖ base) from the base model. The second treats the tokens as the trained policy's own,
 * which the limit on the first keeps nearly true.
 *
 * Answers that people wrote were sampled by nobody. In their place, the policy's own answers are measured that they replace.
 * These can be of an older version, and are read as if the stable version had sampled them: each token's estimate is at least 0,
 * and 0 if nothing changed.
 */
import { sampledKl } from "@waggle/learning";
import type { PolicyVersionId, TrainEngine } from "@waggle/protocol";
import type { LearnableGroup } from "../check/learnable-group.ts";
import type { FrozenScorer } from "./recipe-models.ts";

/** How far the trained policy is from two others, in nats per token; `null` if it was not measured. */
export type Drift = { readonly stable: number | null; readonly base: number | null };

/**
 * Measures the drift with one forward pass after an update. Nothing is measured if the stable version sampled none of the
 * groups' tokens.
 *
 * @param maxTokens - most tokens of the pass; at least one sequence is read.
 * @param base - gives log-probs under the base model; absent: the drift from it is not measured.
 */
export async function driftAfter(
  engine: Pick<TrainEngine, "forward">,
  groups: readonly LearnableGroup[],
  stable: PolicyVersionId,
  maxTokens: number,
  base?: FrozenScorer,
): Promise<Drift> {
  const rows = rowsOf(groups, stable, maxTokens);
  if (rows.length === 0) return { stable: null, base: null };
  const sequences = rows.map(({ sequence }) => sequence);
  const { logProb } = await engine.forward({ sequences });
  const isStable = rows.map((row) => row.isStable);
  const stableLogProbs = rows.map((row) => row.stableLogProbs);
  return {
    stable: sampledKl(isStable, stableLogProbs, logProb),
    base:
      base === undefined
        ? null
        : sampledKl(isStable, logProb, await base(sequences), stableLogProbs),
  };
}

function rowsOf(groups: readonly LearnableGroup[], stable: PolicyVersionId, maxTokens: number) {
  const trajectories = groups.flatMap((group) => group.trajectories);
  const replaced = new Set(
    trajectories.filter(({ given }) => given !== undefined).map(({ digest }) => digest),
  );
  const rows = trajectories
    // The rejected side of a pair is what its wanted side replaces, and counts once.
    .flatMap((one) => one.given ?? (replaced.has(one.digest) ? [] : one))
    .flatMap(({ trajectory, rescoredLogProbs }) =>
      trajectory.samples.map(({ sequence, spans }, i) => ({
        sequence,
        stableLogProbs: rescoredLogProbs[i] ?? [],
        /** Whether the stable version sampled the token. */
        isStable: sampledBy(stable, sequence.tokenIds.length, spans),
      })),
    )
    .filter(({ isStable }) => isStable.some(Boolean));
  let tokens = 0;
  return rows.filter(({ sequence }, i) => {
    tokens += sequence.tokenIds.length;
    return i === 0 || tokens <= maxTokens;
  });
}

function sampledBy(
  version: PolicyVersionId,
  length: number,
  spans: LearnableGroup["trajectories"][number]["trajectory"]["samples"][number]["spans"],
): boolean[] {
  const sampled = Array.from({ length }, () => false);
  for (const { start, segment } of spans) {
    if (segment.policyVersion === version) {
      sampled.fill(true, start, start + segment.tokenIds.length);
    }
  }
  return sampled;
}
