/**
 * One attempt of a policy at a task, run here: for evaluation and for the offline simulation. Judged
 * by the same verifier as the attempts of visitors.
 */
import { defaultTurnTokens, rollOut } from "@waggle/agent";
import type { Sampling, TaskReference, Trajectory, Verification } from "@waggle/protocol";
import type { AdaptivePolicy } from "@waggle/runtime/node";
import type { ChatFormat } from "@waggle/text";
import type { CreateTaskWorld } from "./task-worlds.ts";

/** Of evaluation and simulation; the demo's tasks need fewer. */
const MAX_TURNS = 8;

export type AttemptParts = {
  readonly policy: AdaptivePolicy;
  readonly format: ChatFormat;
  readonly createTaskWorld: CreateTaskWorld;
  readonly sampling: Omit<Sampling, "seed">;
};

export type Attempt = { readonly trajectory: Trajectory; readonly verification: Verification };

/** Rolls out the task with the policy's current version. */
export async function attempt(
  parts: AttemptParts,
  task: TaskReference,
  seed: number,
  signal: AbortSignal,
): Promise<Attempt> {
  const { policy, format } = parts;
  const world = parts.createTaskWorld(task);
  const trajectory = await rollOut({
    policy,
    environment: world.environment,
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
