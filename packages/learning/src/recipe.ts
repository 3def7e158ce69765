/**
 * A paper is a recipe: rollout + filter + reward + advantage + loss + state + schedule, each slot
 * filled by a small part. Not a trainer: it is called with plain numbers and returns plain numbers.
 */
import type {
  EngineCapabilities,
  OptimizerOptions,
  Sampling,
  Verification,
} from "@waggle/protocol";
import { FULL_SUPPORT, WaggleError } from "@waggle/protocol";
import type { GroupFilter } from "./filters/group-filter.ts";
import type { LearningRate } from "./schedules/learning-rate.ts";
import type { LossResult } from "./loss.ts";
import type { LossMask, TokenRows } from "./token-rows.ts";

/** A minibatch, or a microbatch of it; all `[B][T]`, aligned with the tokens of the sequences. */
export type PolicyMinibatch = {
  readonly lossMask: LossMask;
  readonly advantages: TokenRows;
  readonly policyLogProbs: TokenRows;
  readonly proximalLogProbs: TokenRows;
  readonly behaviorLogProbs: TokenRows;
  /** Entropies of the policy, from the same forward pass; absent where the engine has none. */
  readonly entropies?: TokenRows | undefined;
  /** Loss tokens of the whole minibatch. */
  readonly tokenCount: number;
};

/** How trajectories for this recipe are sampled and how old they may be. */
export type RolloutSlot = {
  readonly sampling: Omit<Sampling, "seed">;
  /** Published versions between the sampling policy and the newest; older ones are dropped. */
  readonly maxStaleness: number;
};

export type ScheduleSlot = {
  /** Groups with a signal in one minibatch. */
  readonly groupsPerStep: number;
  /** Optimizer steps on each minibatch, ≥ 1. With 1 the importance ratio is always 1. */
  readonly epochs: number;
  readonly learningRate: LearningRate;
  readonly optimizer: Omit<OptimizerOptions, "learningRate">;
};

export type Recipe = {
  readonly name: string;
  /** Papers it is made of, for reports. */
  readonly sources: readonly string[];
  readonly rollout: RolloutSlot;
  readonly filter: GroupFilter;
  /** The number that is maximised, from what the verifier said. */
  readonly reward: (verification: Verification) => number;
  /** `[G]` rewards of one group to `[G]` advantages. */
  readonly advantage: (rewards: readonly number[]) => number[];
  readonly loss: (minibatch: PolicyMinibatch) => LossResult;
  /** What it carries from step to step; no recipe here carries anything. */
  readonly state: null;
  readonly schedule: ScheduleSlot;
  /** Derivatives its loss returns. */
  readonly needs: EngineCapabilities["derivatives"];
};

/** What a user may set on any recipe. */
export type RecipeOptions = {
  readonly learningRate?: LearningRate | undefined;
  readonly groupsPerStep?: number | undefined;
  readonly epochs?: number | undefined;
  readonly maxStaleness?: number | undefined;
  /** Coefficient of the entropy bonus, default 0. */
  readonly entropyCoefficient?: number | undefined;
  /** What AdamW does beside the rate. Default: gradients clipped to a norm of 1. */
  readonly optimizer?: Omit<OptimizerOptions, "learningRate"> | undefined;
};

/**
 * Refuses a recipe that an engine cannot run, before anything runs.
 *
 * @throws WaggleError `CAPABILITY_MISSING` naming what lacks and what would serve.
 */
export function requireCapabilities(recipe: Recipe, capabilities: EngineCapabilities): void {
  const lacking = [
    ...missingDerivatives(recipe, capabilities),
    ...missingSampling(recipe, capabilities),
    ...otherOptimizer(recipe, capabilities),
  ];
  if (lacking.length > 0) {
    throw new WaggleError(
      "CAPABILITY_MISSING",
      `an engine must serve what recipe ${recipe.name} needs, got ${capabilities.device} without ${lacking.join("; ")}; the engines of this machine serve it (--device cpu), or choose another recipe`,
    );
  }
}

function missingDerivatives({ needs }: Recipe, { derivatives }: EngineCapabilities): string[] {
  return needs
    .filter((name) => !derivatives.includes(name))
    .map((name) => `derivatives of ${name}`);
}

/** A narrower distribution than the model's own has to be replayed by the engine. */
function missingSampling({ rollout }: Recipe, { sequences }: EngineCapabilities): string[] {
  const { temperature, topK, topP } = rollout.sampling;
  const needed = {
    temperatures: temperature !== FULL_SUPPORT.temperature,
    keptTokenIds: topK !== FULL_SUPPORT.topK || topP !== FULL_SUPPORT.topP,
  };
  return (["temperatures", "keptTokenIds"] as const).filter(
    (member) => needed[member] && !sequences.includes(member),
  );
}

/** What a recipe leaves open is AdamW's default in the port. */
function otherOptimizer(
  { schedule }: Recipe,
  { fixedOptimizer: fixed }: EngineCapabilities,
): string[] {
  if (fixed === undefined) return [];
  const defaults = { beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0, maxGradientNorm: 0 };
  const asked = { ...defaults, ...schedule.optimizer };
  return (Object.keys(defaults) as (keyof typeof defaults)[])
    .filter((name) => asked[name] !== (fixed[name] ?? defaults[name]))
    .map(
      (name) =>
        `${name} ${asked[name]} (its server was started with ${fixed[name] ?? defaults[name]})`,
    );
}

/** `[B][T]` rows that give each token of a trajectory the trajectory's advantage. */
export function broadcastAdvantages(
  advantages: readonly number[],
  lossMask: LossMask,
): Float64Array[] {
  return lossMask.map((row, b) => new Float64Array(row.length).fill(advantages[b] ?? 0));
}
