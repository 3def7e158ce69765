/**
 * Checks that a server's `cross_entropy` is Σ −w·log π over all tokens of all requests, because
 * only then can weights carry the derivatives of any loss. SkyRL's FSDP and Megatron backends and
 * open-rl sum. SkyRL's JAX backend divides by the sum of a sequence's weights (`backends/jax.py`,
 * loss_for_lora), which gives silently wrong gradients for weights of both signs.
 *
 * Gradients cannot be read, but a step returns their norm. Two sequences with weights −1 must have
 * twice the norm of one with weights 1.
 */
import { WaggleError } from "@waggle/protocol";
import type { TinkerClient } from "./tinker-client.ts";
import { toBackwardData } from "./wire-batch.ts";

/** Ids that every vocabulary has. */
const TOKENS = [1, 2, 3, 4, 3, 2];
/** Relative error of the norm; servers compute in bfloat16. */
const TOLERANCE = 0.05;

/**
 * Changes the moments of the client's model, so the model must be discarded afterwards.
 * @throws WaggleError `CAPABILITY_MISSING` if the server does not sum or reports no norm.
 */
export async function requireSummedWeights(client: TinkerClient): Promise<void> {
  const one = await gradientNorm(client, [-1]);
  const two = await gradientNorm(client, [1, 1]);
  if (!(Math.abs(two / one / 2 - 1) <= TOLERANCE)) {
    throw new WaggleError(
      "CAPABILITY_MISSING",
      `the server's cross_entropy does not sum over sequences: one sequence gives a gradient norm of ${one.toPrecision(4)}, and two of them give ${two.toPrecision(4)}. SkyRL's jax backend averages; start the server with --backend fsdp or megatron`,
    );
  }
}

/**
 * Norm of the gradient of Σ derivative · log π, one derivative per sequence. Takes a step at rate
 * 0.
 */
async function gradientNorm(client: TinkerClient, derivatives: readonly number[]): Promise<number> {
  const sequences = derivatives.map(() => ({ tokenIds: TOKENS }));
  const logProb = derivatives.map((value) => new Float32Array(TOKENS.length).fill(value));
  const data = toBackwardData({ sequences }, { logProb }).map(({ datum }) => datum);
  await client.backward([data]);
  const norm = await client.optimStep({ learningRate: 0, maxGradientNorm: 1 });
  if (norm === undefined || !(norm > 0)) {
    throw new WaggleError(
      "CAPABILITY_MISSING",
      `the server reported ${norm === undefined ? "no gradient norm" : `a gradient norm of ${norm}`} for a step; SkyRL reports it if trainer.policy.optimizer_config.max_grad_norm is above 0`,
    );
  }
  return norm;
}
