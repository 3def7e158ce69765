/** A demonstrator's rollout as a judged trajectory. Demonstrators belong to the environments. */
import { type EnvironmentSpec, type EnvironmentWrapper, overheard } from "@waggle/environments";
import type { Observation, RandomSource, TaskReference } from "@waggle/protocol";
import type { ChatFormat } from "@waggle/text";
import type { EnvironmentRollout } from "./environment-rollout.ts";
import { scriptedRollout } from "./scripted-rollout.ts";

type DemonstratedRolloutOptions = {
  readonly random: RandomSource;
  /** Probability of a wrong decision, in [0, 1]. */
  readonly mistakes: number;
  /** Maximum tokens of the rollout. */
  readonly contextLength: number;
  /** Wraps the environment that the rollout uses; the demonstrator hears the environment itself. */
  readonly around?: EnvironmentWrapper;
};

/** Runs the demonstrator of the environment. */
export async function demonstratedRollout(
  spec: EnvironmentSpec,
  reference: TaskReference,
  format: ChatFormat,
  { random, mistakes, contextLength, around = (same) => same }: DemonstratedRolloutOptions,
): Promise<EnvironmentRollout> {
  const demonstrator = await spec.demonstrator(reference, random, mistakes);
  const heard: { last: Observation | null } = { last: null };
  const own = overheard((observation) => {
    heard.last = observation;
  })(spec.create(reference));
  return scriptedRollout(around(own), spec.task(reference), format, {
    speak: () => {
      const { text, calls } = demonstrator(heard.last);
      return format.encodeAssistant(text, calls);
    },
    contextLength,
    maxTurns: spec.maxTurns,
  });
}
