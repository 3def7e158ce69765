/**
 * Rollouts at a task with a memory: one role keeps it line by line, another answers from it. Each sees only
 * the message of its turn, so the answer depends on the kept memory.
 */
import { type EnvironmentSpec, type Judgment, memoryOf } from "@waggle/environments";
import { derivedSeed, type Sampling, type TaskReference, type Trajectory } from "@waggle/protocol";
import type { ChatFormat } from "@waggle/text";
import { turnAlone } from "../folded-rollout.ts";
import type { ActingPolicy } from "./environment-rollout.ts";
import { type ActingRoles, roleRollout } from "./role-rollout.ts";

type ManagedRolloutParts = {
  readonly policy: ActingPolicy;
  readonly format: ChatFormat;
  readonly spec: EnvironmentSpec;
  /** Absent = the policy acts in both roles. */
  readonly roles?: ActingRoles | undefined;
  readonly signal: AbortSignal;
};

type ManagedRolloutOptions = {
  readonly sampling: Omit<Sampling, "seed">;
  /** Default: the environment's limit. */
  readonly maxTurns?: number | undefined;
  readonly seed: number;
};

/** One trajectory per turn with the role that took it, and the joint judgment of the answer. */
type ManagedRollout = {
  readonly turns: readonly { readonly role: string; readonly trajectory: Trajectory }[];
  readonly verification: Judgment;
};

/**
 * Runs the two roles.
 *
 * @throws WaggleError `INVALID_ARGUMENT` for an environment without a memory.
 */
export async function managedRollout(
  { manager, answerer }: { readonly manager: string; readonly answerer: string },
  { policy, format, spec, roles, signal }: ManagedRolloutParts,
  task: TaskReference,
  { sampling, maxTurns = spec.maxTurns, seed }: ManagedRolloutOptions,
): Promise<ManagedRollout> {
  const { isQuestion } = memoryOf(spec);
  const instance = spec.create(task);
  const first = await instance.environment.observe();
  const client = { ...policy.client, crossOriginIsolated: false };
  const turns: { role: string; trajectory: Trajectory }[] = [];
  let message = first.userMessage;
  let answer: string | null = null;
  for (let turn = 0; turn < maxTurns && answer === null; turn += 1) {
    const role = isQuestion(message) ? answerer : manager;
    const actor =
      roles === undefined ? policy : roleRollout(roles, policy, spec, task, role).policy;
    const { trajectory, taken } = await turnAlone(
      instance.environment,
      { policy: actor, client },
      { ...first, userMessage: message },
      format,
      { sampling, maxTurnTokens: spec.maxTurnTokens, seed: derivedSeed(seed, turn), signal },
    );
    turns.push({ role, trajectory });
    if (taken === null) break;
    if (taken.observation.terminated) answer = taken.action.text;
    message = taken.observation.userMessage ?? message;
  }
  return { turns, verification: await instance.judge(answer) };
}
