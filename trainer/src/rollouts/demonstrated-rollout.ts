/**
 * A demonstrator's rollout as a trajectory. The turn loop runs it like any other, with a script in
 * place of the policy. Nothing is sampled, so its log-probs are 0 and meaningless; losses on tokens
 * do not read them.
 */
import { rollOut, SCRIPTED_CLIENT, scriptedPolicy } from "@waggle/agent";
import type {
  DemonstratedAction,
  Judgement,
  EnvironmentSpec,
  JudgedEnvironment,
} from "@waggle/environments";
import type { Environment, Observation, TaskReference, Trajectory } from "@waggle/protocol";
import type { ChatFormat } from "@waggle/text";
import { judged } from "./environment-rollout.ts";

export type DemonstratedRollout = {
  readonly trajectory: Trajectory;
  readonly verification: Judgement;
};

/**
 * @param mistakes probability of a wrong decision, in [0, 1]
 * @param contextLength maximum tokens of the rollout
 */
export async function demonstratedRollout(
  spec: EnvironmentSpec,
  reference: TaskReference,
  format: ChatFormat,
  options: {
    readonly random: () => number;
    readonly mistakes: number;
    readonly contextLength: number;
    /** The environment that the rollout uses; default: the environment itself. */
    readonly around?: (instance: JudgedEnvironment) => JudgedEnvironment;
  },
): Promise<DemonstratedRollout> {
  const { random, mistakes, contextLength, around = (same) => same } = options;
  const demonstrator = await spec.demonstrator(reference, random, mistakes);
  const own = spec.create(reference);
  let observation: Observation | null = null;
  const environment: Environment = {
    task: reference,
    observe: () => own.environment.observe(),
    step: async (action, signal) => {
      observation = await own.environment.step(action, signal);
      return observation;
    },
  };
  const instance = around({ ...own, environment });
  const speak = (): number[] => {
    const { text, calls }: DemonstratedAction = demonstrator(observation);
    return format.encodeAssistant(text, calls);
  };
  const trajectory = await rollOut({
    policy: scriptedPolicy(speak, contextLength),
    environment: instance.environment,
    chatFormat: format,
    limits: { maxTurns: spec.maxTurns, maxTokensPerTurn: contextLength, timeoutMs: 0 },
    consent: { version: "none", scopes: ["train"], grantedAt: "2026-01-01T00:00:00.000Z" },
    client: SCRIPTED_CLIENT,
    seed: 0,
  });
  const verification = await judged(instance, spec.task(reference), trajectory, format);
  return { trajectory, verification };
}
