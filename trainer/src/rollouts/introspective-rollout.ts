/**
 * Several answers to one task in one context. The policy is told of each wrong answer, and after
 * the last one a teacher answers in the same context. Every turn gets the reward of the answer that
 * it led to.
 */
import { handedOverPolicy } from "@waggle/agent";
import type { EnvironmentSpec, JudgedEnvironment } from "@waggle/environments";
import { type Introspection, type JudgedTrajectory, toJudgedTrajectory } from "@waggle/learning";
import type { Observation, TaskReference } from "@waggle/protocol";
import type { ChatFormat } from "@waggle/text";
import { seededRandom } from "@waggle/protocol";
import {
  type ActingPolicy,
  type RolloutOptions,
  environmentRollout,
} from "./environment-rollout.ts";

type IntrospectionParts = {
  readonly policy: ActingPolicy;
  readonly spec: EnvironmentSpec;
  readonly format: ChatFormat;
};

/** Runs one such rollout and assigns the rewards of its turns. */
export async function introspectiveRollout(
  { policy, spec, format }: IntrospectionParts,
  { guidance, most, mistakes }: Introspection,
  task: TaskReference,
  options: RolloutOptions & { readonly staleness: number },
  signal: AbortSignal,
): Promise<JudgedTrajectory> {
  const teacher = await spec.demonstrator(task, seededRandom(options.seed, 0x7ea), mistakes);
  /** The reward of each answer, in order. */
  const worth: number[] = [];
  /** The number of turns of each answer. */
  const turns: number[] = [];
  let turn = 0;
  let heard: Observation | null = null;
  const isTaught = (): boolean => worth.length >= most;
  const around = (instance: JudgedEnvironment): JudgedEnvironment => ({
    ...instance,
    environment: {
      task: instance.environment.task,
      observe: () => instance.environment.observe(),
      async step(action, stepSignal) {
        turn += 1;
        const judged = action.toolCalls.length > 0 ? null : await instance.judge(action.text);
        const isLast = judged === null || judged.success || isTaught();
        if (judged !== null) {
          worth.push(judged.reward);
          turns.push(turn);
          turn = 0;
        }
        if (!isLast) {
          // The teacher starts the task from its beginning.
          heard = null;
          return { toolResults: [], userMessage: guidance, terminated: false };
        }
        heard = await instance.environment.step(action, stepSignal);
        return heard;
      },
    },
  });
  const speak = (): readonly number[] | null => {
    if (!isTaught()) return null;
    const { text, calls } = teacher(heard);
    return format.encodeAssistant(text, calls);
  };
  const maxTurns = (most + 1) * (options.maxTurns ?? spec.maxTurns);
  const { record: trajectory, verification } = await environmentRollout(
    handedOverPolicy(policy, speak),
    format,
    spec,
    task,
    { ...options, maxTurns, around },
    signal,
  );
  const paid = turns.flatMap((count, answer) =>
    Array.from({ length: count }, () => worth[answer] ?? 0),
  );
  // Turns after the last answer lead to none.
  const turnRewards = trajectory.turns.map((_, i) => paid[i] ?? 0);
  return toJudgedTrajectory(trajectory, verification, {
    staleness: options.staleness,
    turnRewards,
  });
}
