/**
 * One attempt of a policy at a task of any family, run here as a page would run it: for evaluation and
 * for the offline simulation. Judged by the same verifier as the attempts of visitors.
 */
import { defaultTurnTokens } from "@waggle/agent";
import { familyNamed } from "@waggle/environments";
import type { Sampling, TaskReference } from "@waggle/protocol";
import { defaultTurnTokens, guidedEnvironment, rollOut, versionGuide } from "@waggle/agent";
import type { Guidance, Sampling, TaskReference, Trajectory, Verification } from "@waggle/protocol";
import type { AdaptivePolicy } from "@waggle/runtime/node";
import type { ChatFormat } from "@waggle/text";
import { type FamilyAttempt, familyAttempt } from "./learner/family-attempt.ts";

export type AttemptParts = {
  readonly policy: AdaptivePolicy;
  readonly format: ChatFormat;
  readonly sampling: Omit<Sampling, "seed">;
  /** What the version says. */
  readonly guidance?: Guidance | null;
};

/** Rolls out the task with the policy's current version. */
export function attempt(
  { policy, format, sampling }: AttemptParts,
  task: TaskReference,
  seed: number,
  signal: AbortSignal,
): Promise<FamilyAttempt> {
  const maxTurnTokens = defaultTurnTokens(policy.contextLength);
  const options = { sampling, seed, maxTurnTokens };
  return familyAttempt(policy, format, familyNamed(task.environment), task, options, signal);
): Promise<Attempt> {
  const { policy, format } = parts;
  const world = parts.createTaskWorld(task);
  const trajectory = await rollOut({
    policy,
    environment: guidedEnvironment(
      world.environment,
      parts.guidance ? versionGuide(parts.guidance, String(seed)) : null,
    ),
    chatFormat: format,
    sampling: parts.sampling,
    limits: {
      maxTurns: MAX_TURNS,
      maxTokensPerTurn: defaultTurnTokens(policy.contextLength),
      timeoutMs: 0,
    },
    consent: { version: "none", scopes: ["train"], grantedAt: "2026-01-01T00:00:00.000Z" },
    client: { ...policy.client, crossOriginIsolated: false },
    signal,
    seed,
  });
  signal.throwIfAborted();
  return { trajectory, verification: world.verify(finalTextOf(trajectory, format)) };
}

/** Text of the last turn, `null` where the attempt was cut before it answered. */
export function finalTextOf(trajectory: Trajectory, format: ChatFormat): string | null {
  const last = trajectory.segments.findLast((segment) => segment.kind === "sampled");
  if (trajectory.stopReason !== "completed" || last === undefined) return null;
  return format.parseAssistant(format.decodeAssistant(last.tokenIds)).text;
}
