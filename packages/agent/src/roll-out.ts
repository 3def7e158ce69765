/**
 * `rollOut`: one rollout at one task, from the first observation to a stop reason. The only driver:
 * pages, tests and the trainer all run this. It knows tokens, text and tools; it knows no model, no
 * storage and no reward.
 *
 * A model's mistake is an observation, a limit or an abort a stop reason; only a policy that fails
 * (a lost device) or a programmer's misuse throws.
 */
import { FULL_SUPPORT } from "@waggle/protocol";
import type { Trajectory } from "@waggle/protocol";
import type { RollOutOptions } from "./roll-out-options.ts";
import { Rollout } from "./running-rollout.ts";

/**
 * Tokens of one turn where nobody says another number: a quarter of the policy's context, so that a
 * few turns fit, at least 128 (a call and a sentence), at most 512 (a person waits for it).
 */
export function defaultTurnTokens(contextLength: number): number {
  return Math.max(128, Math.min(512, Math.floor(contextLength / 4)));
}

/**
 * Runs the environment's task with the policy and records it.
 *
 * @returns a trajectory whose segments, one after another, are the tokens of the policy's context.
 *   (An observation that no longer fits the context is in no segment; a first one that does not
 *   fit is, and nothing was sampled.)
 * @throws what the policy or `environment.observe` throws.
 */
export async function rollOut(options: RollOutOptions): Promise<Trajectory> {
  const context = await options.policy.createContext();
  try {
    const { environment: given } = options;
    const environment = typeof given === "function" ? given(context.policyVersion) : given;
    const rollout = new Rollout(
      { sampling: FULL_SUPPORT, ...options, environment },
      { context, segments: [] },
    );
    return await rollout.run();
  } finally {
    context.dispose();
  }
}
