/**
 * One stage of a recipe: parts in seven slots, checked against each other by their types. A part that needs
 * a critic, a reference or a buffer compiles only with that state. A group statistic does not compile over
 * single rollouts. A KL term is in the reward or in the loss, never in both. The trainer runs stages.
 */
import { FULL_SUPPORT, type OptimizerOptions, type Sampling } from "@waggle/protocol";
import type { AdaptiveKl } from "../kl/adaptive-kl.ts";
import type { KlForm } from "../kl/kl-loss.ts";
import type { Aggregation } from "../losses/aggregation.ts";
import type { Evolution, EvolutionPart, FitnessPart } from "./evolution.ts";
import type { CreditPart, Writing, WritingPart } from "./writing.ts";
import type {
  AdvantagePart,
  FilterPart,
  LossPart,
  MergePart,
  PairLoss,
  PartContext,
  RewardModelLoss,
  RewardPart,
  RolloutPart,
  Start,
  StateValues,
} from "./part.ts";
import type { StateName, StatePart } from "./state.ts";

/** The state slot for these needs. */
type StateFor<N extends StateName> = { readonly [name in N]: StatePart<name> };

/** A fixed weight, or a budget in nats that the adaptive weight in `kl-coefficient` follows. */
type KlCoefficient = number | AdaptiveKl;

/** A KL penalty to the reference: k1 in the reward, or an estimator with an unbiased gradient in the loss. */
export type KlTerm =
  | { readonly in: "reward"; readonly coefficient: KlCoefficient; readonly estimator?: never }
  | {
      readonly in: "loss";
      readonly coefficient: KlCoefficient;
      readonly estimator: KlForm["form"];
    };

/** The evaluation that a merge must pass: training tasks that no member was trained on. */
type MergeGate = {
  /** Number of tasks, rolled out by each member and by the merge. */
  readonly tasks: number;
  /** Share of the stage's budget reserved for these rollouts. */
  readonly share: number;
};

/** Settings that a schedule may change at each step. */
export type StepSettings = {
  /** Tasks per step, each with its group. */
  readonly tasksPerStep: number;
  /** Passes over the trajectories of a step, ≥ 1. */
  readonly epochs: number;
  /** Minibatches per epoch, each with its own optimizer step, ≥ 1. */
  readonly minibatches: number;
  readonly learningRate: number;
  readonly sampling: Omit<Sampling, "seed">;
  /** Turn limit of a rollout; absent = the environment's. */
  readonly maxTurns?: number;
  /** Size of the task pool, from which tasks repeat; absent = each task is new. */
  readonly taskPool?: number;
  /** Share of the environment's difficulty levels, from 0 (easiest) to 1; absent = all levels. */
  readonly difficulty?: number;
  /** Staleness of the sampling policy, in versions. */
  readonly lag: number;
  /** Number of places by which team members rotate through the roles. */
  readonly roleShift?: number;
  /** Weights by reward component; absent = 1. */
  readonly rewardWeights?: { readonly [component: string]: number };
};

export type SchedulePart = {
  readonly slot: "schedule";
  readonly part: string;
  /** As for other parts: reads the entropy of each sampled token. */
  readonly readsEntropies?: true;
  /** @param settings the settings after the schedules before it. */
  readonly at: (settings: StepSettings, context: PartContext) => StepSettings;
  /** Test-time training: the stage runs for each held-out task or level and is undone afterwards. */
  readonly testTime?: "task" | "level";
};

/** The model that a stage trains: the policy, several roles, a reward model or an implicit process reward model. */
export type TrainedModel = "policy" | "roles" | "rm" | "iprm";

/** A stage without its type parameters, as the trainer runs it. */
export type Stage = {
  readonly name: string;
  readonly learns: "rewards" | "tokens" | "pairs" | "merges" | "scores" | "texts" | "model";
  /** The trained model. */
  readonly trains: TrainedModel;
  readonly rollout: RolloutPart<StateName>;
  readonly filters: readonly FilterPart<StateName>[];
  readonly reward: RewardPart<StateName> | null;
  readonly advantage: AdvantagePart<StateName> | null;
  readonly losses: readonly {
    readonly loss: LossPart<StateName> | PairLoss<StateName> | RewardModelLoss<StateName>;
    readonly weight: number;
  }[];
  readonly kl: KlTerm | null;
  readonly aggregation: Aggregation;
  readonly state: { readonly [name in StateName]?: StatePart };
  readonly schedule: readonly SchedulePart[];
  readonly steps: number;
  readonly settings: StepSettings;
  readonly optimizer: Omit<OptimizerOptions, "learningRate">;
  /** In a merge stage: the members, each trained from the same start, and how they are merged. */
  readonly merging: {
    readonly members: readonly (readonly Stage[])[];
    readonly how: MergePart;
    /** Absent = the merge is always taken. */
    readonly gate?: MergeGate;
  } | null;
  /** In a stage of evolution strategies. */
  readonly evolution: Evolution | null;
  /** In a stage that writes texts or cases, with or without losses. */
  readonly writing: Writing | null;
};

/** Defaults of the step settings. */
const DEFAULT_SETTINGS: StepSettings = {
  tasksPerStep: 16,
  epochs: 1,
  minibatches: 1,
  learningRate: 3e-3,
  sampling: FULL_SUPPORT,
  lag: 0,
};

/** An advantage over single rollouts accepts groups too; a group statistic accepts only groups. */
type ServedBy<S extends Start> = S extends "group" ? Start : "single";

type KlNeeds<K> = K extends { readonly coefficient: AdaptiveKl }
  ? "ref" | "kl-coefficient"
  : K extends KlTerm
    ? "ref"
    : never;

/** The state slot: required if a part needs state, with exactly the state that is needed. */
type StateSlot<N extends StateName> = [N] extends [never]
  ? { readonly state?: Record<never, never> }
  : { readonly state: StateFor<N> };

type Open = {
  readonly name?: string;
  /** Default `token-mean`. */
  readonly aggregation?: Aggregation;
  /** Applied in order; each sees the settings left by those before it. */
  readonly schedule?: readonly SchedulePart[];
  /** Default 30. */
  readonly steps?: number;
  readonly settings?: Partial<StepSettings>;
  readonly optimizer?: Omit<OptimizerOptions, "learningRate">;
};

/** A loss, or a loss with its weight; default weight 1. */
type Weighted<N extends StateName> = Weighed<LossPart<N>>;
type Weighed<L> = L | { readonly loss: L; readonly weight: number };

/** At least one loss. */
type Losses<L> = readonly [L, ...L[]];

/** A stage that learns from rewards through advantages. */
export function rewardStage<
  S extends Start,
  A extends StateName = never,
  B extends StateName = never,
  C extends StateName = never,
  D extends StateName = never,
  E extends StateName = never,
  W extends StateName = never,
  K extends KlTerm | undefined = undefined,
>(
  spec: Open & {
    readonly rollout: RolloutPart<A, S>;
    readonly filters?: readonly FilterPart<B>[];
    readonly reward: RewardPart<C>;
    readonly advantage: AdvantagePart<D, ServedBy<S>>;
    readonly losses: Losses<Weighted<E>>;
    /** Texts written after each step, from the same trajectories. */
    readonly writes?: WritingPart<W>;
    readonly kl?: K;
  } & StateSlot<A | B | C | D | E | W | KlNeeds<K>>,
): Stage {
  const { writes } = spec;
  const stage = toStage("rewards", { ...spec, kl: spec.kl ?? null });
  return writes === undefined ? stage : { ...stage, writing: { credit: null, how: writes } };
}

/** A stage that imitates tokens: of demonstrations, or of rollouts that passed the filters. */
export function tokenStage<
  A extends StateName = never,
  B extends StateName = never,
  C extends StateName = never,
  D extends StateName = never,
  E extends StateName = never,
  K extends (KlTerm & { in: "loss" }) | undefined = undefined,
>(
  spec: Open & {
    readonly rollout: RolloutPart<A>;
    readonly filters?: readonly FilterPart<B>[];
    readonly reward?: RewardPart<C>;
    /** For filters that choose by it; no gradient comes from it. */
    readonly advantage?: AdvantagePart<D>;
    readonly losses: Losses<Weighted<E>>;
    readonly kl?: K;
  } & StateSlot<A | B | C | D | E | KlNeeds<K>>,
): Stage {
  return toStage("tokens", { ...spec, kl: spec.kl ?? null });
}

/** A stage that learns from preference pairs, which a filter makes. */
export function pairStage<
  A extends StateName = never,
  B extends StateName = never,
  C extends StateName = never,
  D extends StateName = never,
  E extends StateName = never,
>(
  spec: Open & {
    readonly rollout: RolloutPart<A>;
    readonly filters: readonly [FilterPart<B>, ...FilterPart<B>[]];
    readonly reward: RewardPart<C>;
    /** For filters that choose by it; no gradient comes from it. */
    readonly advantage?: AdvantagePart<D>;
    readonly losses: Losses<Weighed<LossPart<E> | PairLoss<E>>>;
  } & StateSlot<A | B | C | D | E>,
): Stage {
  return toStage("pairs", { ...spec, kl: null });
}

/** A stage that fits the values of the reward model to comparisons or outcomes. */
export function rewardModelStage<
  A extends StateName = never,
  B extends StateName = never,
  C extends StateName = never,
  D extends StateName = never,
  E extends StateName = never,
>(
  spec: Open & {
    readonly rollout: RolloutPart<A>;
    readonly filters?: readonly FilterPart<B>[];
    /** The targets of the model. */
    readonly reward: RewardPart<C>;
    /** For filters that choose by it; no gradient comes from it. */
    readonly advantage?: AdvantagePart<D>;
    readonly losses: Losses<Weighed<RewardModelLoss<E>>>;
    readonly state: StateFor<A | B | C | D | E | "rm">;
  },
): Stage {
  return { ...toStage("model", { ...spec, kl: null }), trains: "rm" };
}

/** A stage that trains the implicit process reward model: a policy whose log-ratios predict outcomes. */
export function processModelStage<
  A extends StateName = never,
  B extends StateName = never,
  C extends StateName = never,
  E extends StateName = never,
>(
  spec: Open & {
    readonly rollout: RolloutPart<A>;
    readonly filters: readonly [FilterPart<B>, ...FilterPart<B>[]];
    readonly reward: RewardPart<C>;
    readonly losses: Losses<Weighed<LossPart<E> | PairLoss<E>>>;
    readonly state: StateFor<A | B | C | E | "iprm" | "ref">;
  },
): Stage {
  return { ...toStage("model", { ...spec, kl: null }), trains: "iprm" };
}

/**
 * A stage that merges several models with the same start into one. With a gate, the merge is taken if it
 * solves at least as many tasks as the best member; otherwise that member is taken.
 */
export function mergeStage(spec: {
  readonly name?: string;
  readonly rollout: RolloutPart;
  /** Chains of stages, each run from the same start. */
  readonly members: readonly (readonly Stage[])[];
  readonly how: MergePart;
  readonly gate?: MergeGate;
  readonly state: StateFor<"delta">;
}): Stage {
  const { members, how, gate, ...rest } = spec;
  const stage = toStage("merges", { ...rest, losses: [], kl: null, steps: 1 });
  return { ...stage, merging: { members, how, ...(gate === undefined ? {} : { gate }) } };
}

/** A stage that learns from the rewards of perturbed parameters (evolution strategies). */
export function evolutionStage(
  spec: Open & {
    readonly rollout: RolloutPart<never, "single">;
    readonly reward: RewardPart;
    readonly fitness: FitnessPart;
    readonly how: EvolutionPart;
  },
): Stage {
  const { fitness, how, ...rest } = spec;
  return { ...toStage("scores", { ...rest, losses: [], kl: null }), evolution: { fitness, how } };
}

/** A stage that writes texts or cases and changes no parameter. */
export function writingStage<
  A extends StateName = never,
  B extends StateName = never,
  C extends StateName = never,
  D extends StateName = never,
  E extends StateName = never,
>(
  spec: Open & {
    readonly rollout: RolloutPart<A>;
    readonly filters?: readonly FilterPart<B>[];
    readonly reward: RewardPart<C>;
    readonly credit?: CreditPart<D>;
    readonly how: WritingPart<E>;
  } & StateSlot<A | B | C | D | E>,
): Stage {
  const { credit = null, how } = spec;
  return { ...toStage("texts", { ...spec, losses: [], kl: null }), writing: { credit, how } };
}

function toStage(
  learns: Stage["learns"],
  spec: Open & {
    readonly rollout: RolloutPart<StateName>;
    readonly filters?: readonly FilterPart<StateName>[];
    readonly reward?: RewardPart<StateName>;
    readonly advantage?: AdvantagePart<StateName>;
    readonly losses: readonly Weighed<
      LossPart<StateName> | PairLoss<StateName> | RewardModelLoss<StateName>
    >[];
    readonly kl: KlTerm | null;
    readonly state?: Stage["state"];
  },
): Stage {
  return {
    learns,
    trains: spec.state?.["role-adapters"] === undefined ? "policy" : "roles",
    name: spec.name ?? learns,
    rollout: spec.rollout,
    filters: spec.filters ?? [],
    reward: spec.reward ?? null,
    advantage: spec.advantage ?? null,
    losses: spec.losses.map((part) => ("loss" in part ? part : { loss: part, weight: 1 })),
    kl: spec.kl,
    aggregation: spec.aggregation ?? { kind: "token-mean" },
    state: spec.state ?? {},
    schedule: spec.schedule ?? [],
    steps: spec.steps ?? 30,
    settings: { ...DEFAULT_SETTINGS, ...spec.settings },
    optimizer: { maxGradientNorm: 1, ...spec.optimizer },
    merging: null,
    evolution: null,
    writing: null,
  };
}

/** The stage's settings at one step, after its schedules. */
export function settingsAt(stage: Stage, context: PartContext): StepSettings {
  return stage.schedule.reduce((settings, part) => part.at(settings, context), stage.settings);
}

/** `values`, with the initial value of each stored state that is missing. */
export function initialValues({ state }: Stage, values: StateValues): StateValues {
  const begun = Object.values(state).flatMap(({ part, initial }) =>
    initial === undefined || part in values ? [] : [[part, initial()] as const],
  );
  return { ...values, ...Object.fromEntries(begun) };
}
