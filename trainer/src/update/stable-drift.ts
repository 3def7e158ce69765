/**
 * Drift of the policy in training from the stable version: KL(stable ‖ trained) in nats per token, on
 * tokens that the stable version sampled.
 */
import { sampledKl } from "@waggle/learning";
import type { PolicyVersionId, TrainEngine } from "@waggle/protocol";
import type { LearnableGroup } from "../check/learnable-group.ts";

/**
 * Measures the drift with one forward pass after an update.
 *
 * @param maxTokens - most tokens of the pass; at least one sequence is read.
 * @returns `null` if the stable version sampled none of the groups' tokens.
 */
export async function driftFromStable(
  engine: Pick<TrainEngine, "forward">,
  groups: readonly LearnableGroup[],
  stable: PolicyVersionId,
  maxTokens: number,
): Promise<number | null> {
  const rows = rowsOf(groups, stable, maxTokens);
  if (rows.length === 0) return null;
  const { logProb } = await engine.forward({ sequences: rows.map(({ sequence }) => sequence) });
  return sampledKl(
    rows.map(({ isStable }) => isStable),
    rows.map(({ stableLogProbs }) => stableLogProbs),
    logProb,
  );
}

function rowsOf(groups: readonly LearnableGroup[], stable: PolicyVersionId, maxTokens: number) {
  const rows = groups
    .flatMap(({ trajectories }) => trajectories)
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
