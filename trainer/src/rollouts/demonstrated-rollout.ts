/**
 * A demonstrator's rollout as a trajectory: the turn loop runs it like any other, with the policy's
 * part spoken by a script. Nothing was sampled, so its log-probs are 0 and mean nothing; losses on
 * tokens do not read them.
 */
import { rollOut } from "@waggle/agent";
import type {
  DemonstratedAction,
  Judgement,
  EnvironmentSpec,
  JudgedEnvironment,
} from "@waggle/environments";
import type {
  ClientDescription,
  Environment,
  Observation,
  Policy,
  PolicyContext,
  Sample,
  TaskReference,
  Trajectory,
} from "@waggle/protocol";
import type { ChatFormat } from "@waggle/text";
import { judged } from "./environment-rollout.ts";

export type DemonstratedRollout = {
  readonly trajectory: Trajectory;
  readonly verification: Judgement;
};

/** What the record of a demonstration says of whom it is from. */
export const NOBODY: ClientDescription = {
  build: "0",
  backend: "scripted",
  device: "none",
  crossOriginIsolated: false,
};

/**
 * @param mistakes probability that a decision is made wrong, in [0, 1].
 * @param contextLength tokens that a rollout may have in all.
 */
export async function demonstratedRollout(
  spec: EnvironmentSpec,
  reference: TaskReference,
  format: ChatFormat,
  options: {
    readonly random: () => number;
    readonly mistakes: number;
    readonly contextLength: number;
    /** The environment as the rollout sees it; default as it is. */
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
    client: NOBODY,
    seed: 0,
  });
  return { trajectory, verification: judged(instance, spec.task(reference), trajectory, format) };
}

/** A policy that says what it is given. */
export function scriptedPolicy(speak: () => readonly number[], contextLength: number): Policy {
  return {
    baseModel: "0".repeat(64),
    contextLength,
    vocabularySize: Number.MAX_SAFE_INTEGER,
    currentVersion: 0,
    createContext: async (): Promise<PolicyContext> => {
      const tokenIds: number[] = [];
      return {
        policyVersion: 0,
        tokenIds,
        append: (more) => void tokenIds.push(...more),
        // What does not fit is cut, as a policy that samples would be.
        generate: async (): Promise<Sample> => {
          const all = speak();
          const said = all.slice(0, contextLength - tokenIds.length);
          tokenIds.push(...said);
          const zeros = said.map(() => 0);
          return {
            tokenIds: said,
            behaviorLogProbs: zeros,
            rawLogProbs: zeros,
            entropies: zeros,
            stopReason: said.length < all.length ? "max-tokens" : "stop-token",
          };
        },
        adoptCurrentVersion: () => {},
        dispose: () => {},
      };
    },
    score: ({ tokenIds }) => {
      const zeros = tokenIds.map(() => 0);
      return Promise.resolve({ behaviorLogProbs: zeros, rawLogProbs: zeros, entropies: zeros });
    },
    dispose: () => Promise.resolve(),
  };
}
