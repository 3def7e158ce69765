/**
 * Rollouts at a task with a memory: one role keeps it line by line, another answers from it. Each
 * sees only the message of its turn, so the answer depends on the kept memory. Each turn is a
 * trajectory, and all share the judgement of the answer.
 */
import { turnAlone } from "@waggle/agent";
import { memoryOf } from "@waggle/environments";
import { type FoldedOptions, type JudgedTrajectory, toJudgedTrajectory } from "@waggle/learning";
import { derivedSeed, type TaskReference } from "@waggle/protocol";
import type { DriverOptions, DriverParts } from "./driver-parts.ts";
import { roleRollout } from "./role-policy.ts";

/** @throws WaggleError `INVALID_ARGUMENT` for an environment without a memory. */
export async function managedTurns(
  { manager, answerer }: NonNullable<FoldedOptions["managed"]>,
  { policy, format, spec, roles, signal }: DriverParts,
  { sampling, maxTurns = spec.maxTurns, seed, staleness }: DriverOptions,
  task: TaskReference,
): Promise<JudgedTrajectory[]> {
  const { isQuestion } = memoryOf(spec);
  const instance = spec.create(task);
  const first = await instance.environment.observe();
  const client = { ...policy.client, crossOriginIsolated: false };
  const turns: { role: string; trajectory: JudgedTrajectory["record"] }[] = [];
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
  const verification = await instance.judge(answer);
  const joint = turns[0]?.trajectory.id ?? null;
  return turns.map(({ role, trajectory }) =>
    toJudgedTrajectory(trajectory, verification, { role, staleness, joint }),
  );
}
