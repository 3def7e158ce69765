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
import { WaggleError } from "@waggle/protocol";
import type { GroupFilter } from "./group-filter.ts";
import type { LearningRate } from "./learning-rate.ts";
import type { LossResult } from "./loss.ts";
import type { LossMask, TokenRows } from "./token-rows.ts";

/** A minibatch, or a microbatch of it; all `[B][T]`, aligned with the tokens of the sequences. */
export type PolicyMinibatch = {
  readonly lossMask: LossMask;
  readonly advantages: TokenRows;
  readonly policyLogProbs: TokenRows;
  readonly proximalLogProbs: TokenRows;
  readonly behaviorLogProbs: TokenRows;
  /** Entropies of the policy, from the same forward pass as `policyLogProbs`. */
  readonly entropies: TokenRows;
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
};

/**
 * Refuses a recipe that an engine cannot run.
 *
 * @throws WaggleError `CAPABILITY_MISSING` naming what lacks.
 */
export function requireCapabilities(recipe: Recipe, capabilities: EngineCapabilities): void {
  const missing = recipe.needs.filter((name) => !capabilities.derivatives.includes(name));
  if (missing.length > 0) {
    throw new WaggleError(
      "CAPABILITY_MISSING",
      `recipe ${recipe.name} needs derivatives of ${recipe.needs.join(", ")}, got an engine without ${missing.join(", ")} (${capabilities.device}); choose another recipe or engine`,
    );
  }
}

/** `[B][T]` rows that give each token of a trajectory the trajectory's advantage. */
export function broadcastAdvantages(
  advantages: readonly number[],
  lossMask: LossMask,
): Float64Array[] {
  return lossMask.map((row, b) => new Float64Array(row.length).fill(advantages[b] ?? 0));
}
