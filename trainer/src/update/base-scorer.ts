/**
 * Log-probs of training sequences under the base model, the reference of a KL term. Computed by the policy that also
 * re-scores trajectories, so no second engine is needed.
 */
import type { TrainSequence } from "@waggle/protocol";
import type { AdaptivePolicy } from "@waggle/runtime/node";
import type { FrozenScorer } from "./recipe-models.ts";

/**
 * Creates the scorer. It reads a sequence once, because the loss and the drift after a step ask for the same one. The policy is left
 * at version 0, so a caller that samples sets its version again.
 */
export function baseScorer(
  policy: Pick<AdaptivePolicy, "score" | "setAdapter" | "currentVersion">,
): FrozenScorer {
  const known = new WeakMap<TrainSequence, Float32Array>();
  return async (sequences) => {
    const rows: Float32Array[] = [];
    for (const sequence of sequences) {
      const found = known.get(sequence);
      if (found === undefined && policy.currentVersion !== 0) await policy.setAdapter(0, null);
      const row = found ?? (await logProbsOf(policy, sequence));
      known.set(sequence, row);
      rows.push(row);
    }
    return rows;
  };
}

/** One call serves the tokens of each temperature. */
async function logProbsOf(
  policy: Pick<AdaptivePolicy, "score">,
  { tokenIds, temperatures = 1, keptTokenIds }: TrainSequence,
): Promise<Float32Array> {
  const row = new Float32Array(tokenIds.length);
  const temperatureAt = (t: number): number =>
    typeof temperatures === "number" ? temperatures : (temperatures[t] ?? 1);
  for (const temperature of new Set(tokenIds.map((_, t) => temperatureAt(t)))) {
    const { behaviorLogProbs } = await policy.score({
      tokenIds,
      sampling: { temperature, topK: 0, topP: 1 },
      ...(keptTokenIds === undefined ? {} : { keptTokenIds }),
    });
    for (const t of row.keys()) {
      if (temperatureAt(t) === temperature) row[t] = behaviorLogProbs[t] ?? Number.NaN;
    }
  }
  return row;
}
