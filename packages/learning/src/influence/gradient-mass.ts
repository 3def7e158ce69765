/**
 * How strongly each trajectory pulls on the policy in a step. The gradient of log π of a sampled token with
 * respect to the logits has the squared norm (1 − 2π + Σπ²) / T², so a token that the policy was sure of
 * pulls little, however large its advantage is.
 *
 * The mass of an advantage leaves out the importance ratio, which is 1 for a rollout of the trained version.
 */
import { type TrainSequence, WaggleError } from "@waggle/protocol";
import type { PlannedMinibatch } from "../composition/minibatch.ts";
import type { PolicyOutputs } from "../composition/part.ts";
import type { TokenRows } from "../token-rows.ts";

/**
 * ‖∂ log π / ∂ logits‖ of a sampled token.
 *
 * @param logProb - log π of the token, in nats.
 * @param sumSquaredProb - Σ_v π(v)²; without it, the largest value that π allows is assumed.
 * @param temperature - T, by which the logits were divided.
 */
export function logitGradientNorm(
  logProb: number,
  sumSquaredProb: number | undefined,
  temperature: number,
): number {
  const prob = Math.exp(logProb);
  const squares = sumSquaredProb ?? prob * prob + (1 - prob) ** 2;
  return Math.sqrt(Math.max(0, 1 - 2 * prob + squares)) / temperature;
}

/**
 * By trajectory id: the sum over its tokens of the token's share of the loss, the token's weight, the absolute
 * advantage and the norm.
 *
 * @param planned - the minibatch with the advantages.
 * @param outputs - the trained model's numbers before the step.
 * @throws WaggleError `INVALID_ARGUMENT` if a sample of the minibatch has no log-probs.
 */
export function gradientMasses(
  {
    rows,
    shares,
    weights,
    advantages,
  }: Pick<PlannedMinibatch, "rows" | "shares" | "weights" | "advantages">,
  { logProb, sumSquaredProb }: PolicyOutputs,
): Map<string, number> {
  const masses = new Map<string, number>();
  for (const [b, { rewarded, index, sample }] of rows.entries()) {
    const { id } = rewarded.trajectory;
    const logProbs = logProb.get(id)?.[index];
    if (logProbs === undefined) {
      throw new WaggleError(
        "INVALID_ARGUMENT",
        `sample ${index} of trajectory ${id} has no log-probs; run the engine before the bound`,
      );
    }
    const squares = sumSquaredProb?.get(id)?.[index];
    let mass = masses.get(id) ?? 0;
    for (const [t, share] of Array.from(shares[b] ?? []).entries()) {
      const pull = share * Math.abs((weights[b]?.[t] ?? 0) * (advantages[b]?.[t] ?? 0));
      if (pull === 0) continue;
      const temperature = temperatureAt(sample.sequence, t);
      mass += pull * logitGradientNorm(logProbs[t] ?? 0, squares?.[t], temperature);
    }
    masses.set(id, mass);
  }
  return masses;
}

/**
 * By trajectory id: the sum over its tokens of |dL / d log π| and the norm. For losses without advantages; it includes the
 * importance ratio and all else that the loss weighs a token by.
 *
 * @param rows - `[B]` the trajectory of each row.
 * @param slopes - `[B][T]` dL / d log π.
 * @param outputs - `[B][T]` numbers that the slopes were computed from.
 */
export function derivativeMasses(
  rows: readonly { readonly id: string; readonly sequence: TrainSequence }[],
  slopes: TokenRows,
  {
    logProb,
    sumSquaredProb,
  }: { readonly logProb: TokenRows; readonly sumSquaredProb?: TokenRows | undefined },
): Map<string, number> {
  const masses = new Map<string, number>();
  for (const [b, { id, sequence }] of rows.entries()) {
    let mass = masses.get(id) ?? 0;
    for (const [t, slope] of Array.from(slopes[b] ?? []).entries()) {
      if (slope === 0) continue;
      const squares = sumSquaredProb?.[b]?.[t];
      const norm = logitGradientNorm(logProb[b]?.[t] ?? 0, squares, temperatureAt(sequence, t));
      mass += Math.abs(slope) * norm;
    }
    masses.set(id, mass);
  }
  return masses;
}

function temperatureAt({ temperatures = 1 }: TrainSequence, t: number): number {
  return typeof temperatures === "number" ? temperatures : (temperatures[t] ?? 1);
}
