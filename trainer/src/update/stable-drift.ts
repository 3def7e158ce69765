/**
 * Drift of the policy in training from the stable version: KL(stable ‖ trained) in nats per token, on
 * tokens that the stable version sampled.
 *
 * Source: Schulman 2020, "Approximating KL divergence" (joschu.net/blog/kl-approx.html), the
 * non-negative estimator: exp(r) − 1 − r with r = log π_trained − log π_stable.
 */
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
  let [sum, tokens] = [0, 0];
  for (const [b, { spans, stableLogProbs }] of rows.entries()) {
    for (const [start, end] of spans) {
      for (let t = start; t < end; t += 1) {
        const r = (logProb[b]?.[t] ?? Number.NaN) - (stableLogProbs[t] ?? Number.NaN);
        sum += Math.expm1(r) - r;
        tokens += 1;
      }
    }
  }
  return sum / tokens;
}

function rowsOf(groups: readonly LearnableGroup[], stable: PolicyVersionId, maxTokens: number) {
  const rows = groups
    .flatMap(({ trajectories }) => trajectories)
    .flatMap(({ trajectory, rescoredLogProbs }) =>
      trajectory.samples.map(({ sequence, spans }, i) => ({
        sequence,
        stableLogProbs: rescoredLogProbs[i] ?? [],
        spans: spans
          .filter(({ segment }) => segment.policyVersion === stable)
          .map(({ start, segment }) => [start, start + segment.tokenIds.length] as const),
      })),
    )
    .filter(({ spans }) => spans.length > 0);
  let tokens = 0;
  return rows.filter(({ sequence }, i) => {
    tokens += sequence.tokenIds.length;
    return i === 0 || tokens <= maxTokens;
  });
}
