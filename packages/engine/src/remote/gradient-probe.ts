/**
 * Finds out whether a server's `cross_entropy` is Σ −w·log π over all tokens of all requests: on it
 * rests that weights can carry any loss's derivatives. SkyRL's FSDP and Megatron backends and
 * open-rl sum; SkyRL's JAX backend divides by the sum of a sequence's weights (`backends/jax.py`,
 * loss_for_lora), which for weights of both signs is any number at all, and nobody would be told.
 *
 * Gradients cannot be read, but their norm comes with a step. Two sequences with weights −1 must have
 * twice the norm of one with weights 1.
 */
import { WaggleError } from "@waggle/protocol";
import type { TinkerClient } from "./tinker-client.ts";
import { toBackwardData } from "./wire-batch.ts";

/** Ids that every vocabulary has. */
const TOKENS = [1, 2, 3, 4, 3, 2];
/** Of the expected norm: servers compute in bfloat16. */
const TOLERANCE = 0.05;

/**
 * Moves the moments of the client's model, so it must be one that is thrown away after.
 * @throws WaggleError `CAPABILITY_MISSING` where the server does not sum or reports no norm.
 */
export async function requireSummedWeights(client: TinkerClient): Promise<void> {
  const one = await gradientNorm(client, [-1]);
  const two = await gradientNorm(client, [1, 1]);
  if (!(Math.abs(two / one / 2 - 1) <= TOLERANCE)) {
    throw new WaggleError(
      "CAPABILITY_MISSING",
      `cross_entropy must add up weight · log-prob over tokens and sequences, got gradient norms ${one.toPrecision(4)} and ${two.toPrecision(4)} where the second must be twice the first; SkyRL's jax backend takes means: start the server with --backend fsdp or megatron`,
    );
  }
}

/** Norm of the gradient of Σ derivative · log π, one derivative a sequence. A step of rate 0. */
async function gradientNorm(client: TinkerClient, derivatives: readonly number[]): Promise<number> {
  const sequences = derivatives.map(() => ({ tokenIds: TOKENS }));
  const logProb = derivatives.map((value) => new Float32Array(TOKENS.length).fill(value));
  const data = toBackwardData({ sequences }, { logProb }).map(({ datum }) => datum);
  await client.backward([data]);
  const norm = await client.optimStep({ learningRate: 0, maxGradientNorm: 1 });
  if (norm === undefined || !(norm > 0)) {
    throw new WaggleError(
      "CAPABILITY_MISSING",
      `a step must report its gradient's norm, got ${norm ?? "none"}; SkyRL reports it where trainer.policy.optimizer_config.max_grad_norm is above 0`,
    );
  }
  return norm;
}
