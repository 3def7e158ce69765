/**
 * A policy that answers a task several times in one context, followed by a teacher after its last wrong
 * answer. The teacher is the environment's demonstrator.
 */
import { type EnvironmentSpec, JudgedAnswers } from "@waggle/environments";
import type { Introspection } from "@waggle/learning";
import { seededRandom, type TaskReference } from "@waggle/protocol";
import type { ChatFormat } from "@waggle/text";
import { handedOverPolicy } from "../scripted-policy.ts";
import {
  type ActingPolicy,
  type EnvironmentRollout,
  environmentRollout,
  type EnvironmentRolloutOptions,
} from "./environment-rollout.ts";

type IntrospectionParts = {
  readonly policy: ActingPolicy;
  readonly spec: EnvironmentSpec;
  readonly format: ChatFormat;
};

/** Runs one such rollout. Each turn gets the reward of the answer that it led to. */
export async function introspectiveRollout(
  { policy, spec, format }: IntrospectionParts,
  { guidance, most, mistakes }: Introspection,
  task: TaskReference,
  options: EnvironmentRolloutOptions,
  signal: AbortSignal,
): Promise<EnvironmentRollout & { readonly turnRewards: readonly number[] }> {
  const teacher = await spec.demonstrator(task, seededRandom(options.seed, 0x7ea), mistakes);
  const answers = new JudgedAnswers(guidance, most);
  const speak = (): readonly number[] | null => {
    if (!answers.areSpent) return null;
    const { text, calls } = teacher(answers.heard);
    return format.encodeAssistant(text, calls);
  };
  const maxTurns = (most + 1) * (options.maxTurns ?? spec.maxTurns);
  const rollout = await environmentRollout(
    handedOverPolicy(policy, speak),
    format,
    spec,
    task,
    { ...options, maxTurns, around: answers.around },
    signal,
  );
  return { ...rollout, turnRewards: answers.turnRewards(rollout.record.turns.length) };
}
