/**
 * `rollOut` runs one rollout of one task, from the first observation to a stop reason. Pages, tests and
 * the trainer all use it. It handles tokens, text and tools; it knows no model, storage or reward.
 *
 * A model's mistake becomes an observation; a limit or an abort becomes a stop reason. It throws only if
 * the policy fails (a lost device) or the caller misuses it.
 */
import { FULL_SUPPORT } from "@waggle/protocol";
import type { Trajectory } from "@waggle/protocol";
import type { RollOutOptions } from "./roll-out-options.ts";
import { Rollout } from "./running-rollout.ts";

/**
 * Default token limit of one turn: a quarter of the context, so that several turns fit, but at least 128
 * (a call and a sentence) and at most 512 (a person waits for it).
 */
export function defaultTurnTokens(contextLength: number): number {
  return Math.max(128, Math.min(512, Math.floor(contextLength / 4)));
}

/**
 * Runs the environment's task with the policy and records it.
 *
 * @returns a trajectory whose segments in order are the tokens of the policy's context. Exceptions: an
 *   observation that does not fit the context is not recorded; a first observation that does not fit is
 *   recorded although nothing was sampled.
 * @throws errors of the policy and of `environment.observe`.
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
