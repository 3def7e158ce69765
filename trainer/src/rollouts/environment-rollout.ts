/**
 * One rollout of the policy at a task of an environment: whole, or going on from recorded turns; as the
 * environment is, or with what a recipe puts around it. Judged by the environment's verifier.
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

/** A policy that says what runs it: rollouts ask no more of one. */
export type ActingPolicy = Policy & Pick<AdaptivePolicy, "client">;

export type RolloutOptions = {
  readonly sampling: Omit<Sampling, "seed">;
  readonly seed: number;
  /** Default the environment's. */
  readonly maxTurns?: number | undefined;
  /** Most tokens of one turn; default the environment's. */
  readonly maxTurnTokens?: number | undefined;
  /** Begins with these turns. */
  readonly from?: { readonly trajectory: Trajectory; readonly turns: number } | undefined;
  /** The environment that a recipe puts around the environment's own; default as it is. */
  readonly around?: (instance: JudgedEnvironment) => JudgedEnvironment;
  /** What it is given to read. */
  readonly guide?: Guide | undefined;
};

export type EnvironmentRollout = { readonly record: Trajectory; readonly verification: Judgement };

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

/** The verifier's word, with what was asked and what was said at the end among its parts. */
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
