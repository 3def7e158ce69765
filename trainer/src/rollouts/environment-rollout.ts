/**
 * One rollout of the policy at a task, from the start or from recorded turns, with or without an
 * environment wrapper. The environment's verifier judges it.
 */
import {
  type Guide,
  guidedEnvironment,
  recordedTurns,
  replayedPolicy,
  rollOut,
} from "@waggle/agent";
import type { Judgement, EnvironmentSpec, JudgedEnvironment } from "@waggle/environments";
import type { Policy, Sampling, Task, TaskReference, Trajectory } from "@waggle/protocol";
import type { AdaptivePolicy } from "@waggle/runtime/node";
import type { ChatFormat } from "@waggle/text";
import { finalTextOf } from "./final-text.ts";
import { DEFAULT_TURN_TOKENS } from "./turn-limit.ts";

/** The policy and its client information, which is all a rollout needs. */
export type ActingPolicy = Policy & Pick<AdaptivePolicy, "client">;

/** Options of one rollout. */
export type RolloutOptions = {
  readonly sampling: Omit<Sampling, "seed">;
  readonly seed: number;
  /** Default: the environment's limit. */
  readonly maxTurns?: number | undefined;
  /** Maximum tokens per turn; default: the environment's limit. */
  readonly maxTurnTokens?: number | undefined;
  /** Recorded turns to continue from. */
  readonly from?: { readonly trajectory: Trajectory; readonly turns: number } | undefined;
  /** The recipe's environment wrapper; default: none. */
  readonly around?: (instance: JudgedEnvironment) => JudgedEnvironment;
  /** Text that the policy reads before the task. */
  readonly guide?: Guide | undefined;
};

/** A trajectory and its judgement. */
export type EnvironmentRollout = { readonly record: Trajectory; readonly verification: Judgement };

/** Runs one rollout and judges it. */
export async function environmentRollout(
  policy: ActingPolicy,
  format: ChatFormat,
  spec: EnvironmentSpec,
  reference: TaskReference,
  options: RolloutOptions,
  signal: AbortSignal,
): Promise<EnvironmentRollout> {
  const { sampling, seed, maxTurns = spec.maxTurns, from, around = (same) => same } = options;
  const maxTokensPerTurn = options.maxTurnTokens ?? spec.maxTurnTokens ?? DEFAULT_TURN_TOKENS;
  const instance = around(spec.create(reference));
  const trajectory = await rollOut({
    policy:
      from === undefined
        ? policy
        : replayedPolicy(policy, recordedTurns(from.trajectory, from.turns)),
    environment: options.guide
      ? guidedEnvironment(instance.environment, options.guide)
      : instance.environment,
    chatFormat: format,
    sampling,
    limits: { maxTurns, maxTokensPerTurn, timeoutMs: 0 },
    consent: { version: "none", scopes: ["train"], grantedAt: "2026-01-01T00:00:00.000Z" },
    client: { ...policy.client, crossOriginIsolated: false },
    seed,
    signal,
  });
  signal.throwIfAborted();
  return {
    record: trajectory,
    verification: await judged(instance, spec.task(reference), trajectory, format),
  };
}

/** The verifier's judgement, with the request and the final text added to its parts. */
export async function judged(
  { judge }: JudgedEnvironment,
  { request }: Task,
  trajectory: Trajectory,
  format: ChatFormat,
): Promise<Judgement> {
  const text = finalTextOf(trajectory, format);
  const judgement = await judge(text);
  return { ...judgement, parts: { request, text: text ?? "", ...judgement.parts } };
}
