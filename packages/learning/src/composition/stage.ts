/**
 * One stage of a recipe: parts in the seven slots, checked against each other by their types. A part
 * that needs a critic, a reference or a buffer does not compile without it in the state slot; a group
 * statistic does not compile over single rollouts; a KL term is in the reward or in the loss, never in
 * both. Not a driver.
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

/** The state slot that serves these needs. */
type StateFor<N extends StateName> = { readonly [name in N]: StatePart<name> };

/** A weight, or a budget of nats that the weight in `kl-coefficient` follows from step to step. */
type KlCoefficient = number | AdaptiveKl;

/** A penalty on leaving the reference. k1 in the reward; in the loss an estimator with a right gradient. */
export type KlTerm =
  | { readonly in: "reward"; readonly coefficient: KlCoefficient; readonly estimator?: never }
  | {
      readonly in: "loss";
      readonly coefficient: KlCoefficient;
      readonly estimator: KlForm["form"];
    };

/** What a merge must pass to be taken: tasks to learn in that nobody has learned. */
type MergeGate = {
  /** Attempted by each member and by the merge. */
  readonly tasks: number;
  /** Of the stage's budget, which these rollouts cost and members therefore do not have. */
  readonly share: number;
};

/** What a schedule may change from step to step. */
export type StepSettings = {
  /** Tasks, each with its group, of one step. */
  readonly tasksPerStep: number;
  /** Optimizer steps on one minibatch, ≥ 1. */
  readonly epochs: number;
  readonly learningRate: number;
  readonly sampling: Omit<Sampling, "seed">;
  /** Most turns of a trajectory; absent = the environment's. */
  readonly maxTurns?: number;
  /** Tasks are drawn from so many and come back; absent = every task is a new one. */
  readonly taskPool?: number;
  /** Share of the environment's difficulty levels, from 0 (easiest) to 1; absent = all levels. */
  readonly difficulty?: number;
  /** Versions that the sampling policy lags behind. */
  readonly lag: number;
  /** By how many places the members of a team have moved on to the roles after their own. */
  readonly roleShift?: number;
  /** By reward component; absent = 1. */
  readonly rewardWeights?: { readonly [component: string]: number };
};

export type SchedulePart = {
  readonly slot: "schedule";
  readonly part: string;
  /** @param settings as the parts before it left them. */
  readonly at: (settings: StepSettings, context: PartContext) => StepSettings;
  /** The stage is gone through for every held-out task, or all of one level, and undone after them. */
  readonly testTime?: "task" | "level";
};

/** The policy, several roles, a reward model, or an implicit process reward model. */
export type TrainedModel = "policy" | "roles" | "rm" | "iprm";

/** A stage with its types forgotten: what the trainer carries out. */
export type Stage = {
  readonly name: string;
  readonly learns: "rewards" | "tokens" | "pairs" | "merges" | "scores" | "texts" | "model";
  /** What it trains. */
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
  /** Where it merges: what is learned, each from the same start, and how it becomes one. */
  readonly merging: {
    readonly members: readonly (readonly Stage[])[];
    readonly how: MergePart;
    /** Absent = whatever comes of it is taken. */
    readonly gate?: MergeGate;
  } | null;
  /** Where it learns without a gradient. */
  readonly evolution: Evolution | null;
  /** Where it writes texts or cases, beside its losses or without any. */
  readonly writing: Writing | null;
};

/** What a user of a stage leaves open takes these. */
const DEFAULT_SETTINGS: StepSettings = {
  tasksPerStep: 16,
  epochs: 1,
  learningRate: 3e-3,
  sampling: FULL_SUPPORT,
  lag: 0,
};

/** An advantage over single rollouts serves groups too; a group statistic serves groups alone. */
type ServedBy<S extends Start> = S extends "group" ? Start : "single";

type KlNeeds<K> = K extends { readonly coefficient: AdaptiveKl }
  ? "ref" | "kl-coefficient"
  : K extends KlTerm
    ? "ref"
    : never;

/** The state slot: demanded where a part needs something, and then it must hold exactly that. */
type StateSlot<N extends StateName> = [N] extends [never]
  ? { readonly state?: Record<never, never> }
  : { readonly state: StateFor<N> };

type Open = {
  readonly name?: string;
  /** Default `token-mean`. */
  readonly aggregation?: Aggregation;
  /** In order; each sees what the ones before it set. */
  readonly schedule?: readonly SchedulePart[];
  /** Default 30. */
  readonly steps?: number;
  readonly settings?: Partial<StepSettings>;
  readonly optimizer?: Omit<OptimizerOptions, "learningRate">;
};

/** A loss alone, or with its weight beside the others; default 1. */
type Weighted<N extends StateName> = Weighed<LossPart<N>>;
type Weighed<L> = L | { readonly loss: L; readonly weight: number };

/** At least one: a stage without learns nothing. */
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
    /** Written after each step from the same trajectories. */
    readonly writes?: WritingPart<W>;
    readonly kl?: K;
  } & StateSlot<A | B | C | D | E | W | KlNeeds<K>>,
): Stage {
  const { writes } = spec;
  const stage = toStage("rewards", { ...spec, kl: spec.kl ?? null });
  return writes === undefined ? stage : { ...stage, writing: { credit: null, how: writes } };
}

/** A stage that learns given tokens: demonstrations, or what a filter kept of rollouts. */
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
    /** What filters choose by: nothing is learned from it. */
    readonly advantage?: AdvantagePart<D>;
    readonly losses: Losses<Weighted<E>>;
    readonly kl?: K;
  } & StateSlot<A | B | C | D | E | KlNeeds<K>>,
): Stage {
  return toStage("tokens", { ...spec, kl: spec.kl ?? null });
}

/** A stage that learns from pairs that a filter made. */
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
    /** What filters choose by: nothing is learned from it. */
    readonly advantage?: AdvantagePart<D>;
    readonly losses: Losses<Weighed<LossPart<E> | PairLoss<E>>>;
  } & StateSlot<A | B | C | D | E>,
): Stage {
  return toStage("pairs", { ...spec, kl: null });
}

/** A stage that trains the reward model: its values are fitted to comparisons or to outcomes. */
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
    /** What the model is to predict. */
    readonly reward: RewardPart<C>;
    /** What filters choose by: nothing is learned from it. */
    readonly advantage?: AdvantagePart<D>;
    readonly losses: Losses<Weighed<RewardModelLoss<E>>>;
    readonly state: StateFor<A | B | C | D | E | "rm">;
  },
): Stage {
  return { ...toStage("model", { ...spec, kl: null }), trains: "rm" };
}

/** A stage that trains the implicit process reward model: a policy whose log-ratios explain outcomes. */
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
 * A stage that makes one model of several that began alike. With a gate the merge is taken where it solves
 * no fewer tasks than the best of them, and that one is taken otherwise.
 */
export function mergeStage(spec: {
  readonly name?: string;
  readonly rollout: RolloutPart;
  /** Chains of stages, each gone through from the same start. */
  readonly members: readonly (readonly Stage[])[];
  readonly how: MergePart;
  readonly gate?: MergeGate;
  readonly state: StateFor<"delta">;
}): Stage {
  const { members, how, gate, ...rest } = spec;
  const stage = toStage("merges", { ...rest, losses: [], kl: null, steps: 1 });
  return { ...stage, merging: { members, how, ...(gate === undefined ? {} : { gate }) } };
}

/** A stage that learns from scores of perturbed parameters. */
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

/** A stage that writes texts or cases; no parameter moves. */
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

/** Settings of one step: the stage's own, as its schedule left them. */
export function settingsAt(stage: Stage, context: PartContext): StepSettings {
  return stage.schedule.reduce((settings, part) => part.at(settings, context), stage.settings);
}

/** `values` and, of kept state that they lack, what it is before the first step. */
export function initialValues({ state }: Stage, values: StateValues): StateValues {
  const begun = Object.values(state).flatMap(({ part, initial }) =>
    initial === undefined || part in values ? [] : [[part, initial()] as const],
  );
  return { ...values, ...Object.fromEntries(begun) };
}
