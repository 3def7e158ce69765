/**
 * One rollout of a policy at a task, from the start or from recorded turns, with or without an environment
 * wrapper. The environment's verifier judges it.
 */
import type { EnvironmentSpec, EnvironmentWrapper, JudgedEnvironment } from "@waggle/environments";
import type { Judgment } from "@waggle/environments";
import type {
  ClientDescription,
  Policy,
  Sampling,
  Task,
  TaskReference,
  Trajectory,
} from "@waggle/protocol";
import type { ChatFormat } from "@waggle/text";
import { finalTextOf } from "../final-text.ts";
import { type Guide, guidedEnvironment } from "../guided-environment.ts";
import { recordedTurns, replayedPolicy } from "../replayed-policy.ts";
import { rollOut } from "../roll-out.ts";
import { TRAINING_CONSENT } from "../training-consent.ts";

/** Maximum tokens per turn by default: calls and answers of the built-in environments are short. */
export const DEFAULT_TURN_TOKENS = 96;

/** A policy and the description of what runs it, which is all a rollout needs. */
export type ActingPolicy = Policy & { readonly client: ClientDescription };

/** Options of one rollout in an environment. */
export type EnvironmentRolloutOptions = {
  readonly sampling: Omit<Sampling, "seed">;
  readonly seed: number;
  /** Default: the environment's limit. */
  readonly maxTurns?: number | undefined;
  /** Maximum tokens per turn; default: the environment's limit. */
  readonly maxTurnTokens?: number | undefined;
  /** Recorded turns to continue from. */
  readonly from?: { readonly trajectory: Trajectory; readonly turns: number } | undefined;
  /** Wraps the environment; default: none. */
  readonly around?: EnvironmentWrapper;
  /** Whether tool calls are sampled under the tools' grammar, see `RollOutOptions`. Default false. */
  readonly constrainToolCalls?: boolean | undefined;
  /** Text that the policy reads before the task. */
  readonly guide?: Guide | undefined;
};

/** A trajectory and its judgment. */
export type EnvironmentRollout = { readonly record: Trajectory; readonly verification: Judgment };

/** Runs one rollout and judges it. */
export async function environmentRollout(
  policy: ActingPolicy,
  format: ChatFormat,
  spec: EnvironmentSpec,
  reference: TaskReference,
  options: EnvironmentRolloutOptions,
  signal: AbortSignal,
): Promise<EnvironmentRollout> {
  const { sampling, seed, maxTurns = spec.maxTurns, from, around = (same) => same } = options;
  const maxTokensPerTurn = options.maxTurnTokens ?? spec.maxTurnTokens ?? DEFAULT_TURN_TOKENS;
  const instance = around(spec.create(reference));
  const record = await rollOut({
    policy:
      from === undefined
        ? policy
        : replayedPolicy(policy, recordedTurns(from.trajectory, from.turns)),
    environment: guidedEnvironment(instance.environment, options.guide ?? null),
    chatFormat: format,
    sampling,
    constrainToolCalls: options.constrainToolCalls ?? false,
    limits: { maxTurns, maxTokensPerTurn, timeoutMs: 0 },
    consent: TRAINING_CONSENT,
    client: { ...policy.client, crossOriginIsolated: false },
    seed,
    signal,
  });
  signal.throwIfAborted();
  return { record, verification: await judged(instance, spec.task(reference), record, format) };
}

/** The verifier's judgment, with the request and the final text added to its parts. */
export async function judged(
  { judge }: Pick<JudgedEnvironment, "judge">,
  { request }: Pick<Task, "request">,
  trajectory: Trajectory,
  format: ChatFormat,
): Promise<Judgment> {
  const text = finalTextOf(trajectory, format);
  const judgment = await judge(text);
  return { ...judgment, parts: { request, text: text ?? "", ...judgment.parts } };
}
