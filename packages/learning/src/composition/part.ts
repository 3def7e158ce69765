/**
 * The seven kinds of part that a recipe is made of. A part is a name of the literature, the state it
 * needs, and a pure function. Not an engine, not a driver: a rollout part is a plan that the trainer
 * carries out, a loss part sees numbers.
 */
import type { TaskReference, TensorMap, TokenDerivatives, TokenOutputs } from "@waggle/protocol";
import type { WriterPort } from "../advantages/semantic-comparison.ts";
import type { LossResult } from "../loss.ts";
import type { CandidateLogProbs } from "../losses/imitation/candidate-log-probs.ts";
import type { JudgePort } from "../rewards/judge-port.ts";
import type { LossMask, TokenRows } from "../token-rows.ts";
import type { JudgedGroup, JudgedTrajectory } from "./judged-trajectory.ts";
import type { RolloutPlan } from "./rollout-plan.ts";
import type { StateName } from "./state.ts";

/** State by name, as the parts that asked for it see it. */
export type StateValues = { readonly [name in StateName]?: unknown };

/** What every part is told. */
export type PartContext = {
  /** Learning steps taken in this stage before this one. */
  readonly step: number;
  /** Steps this stage takes. */
  readonly steps: number;
  /** In [0, 1), seeded. */
  readonly random: () => number;
  readonly state: StateValues;
  /** What the trainer opened for parts that ask somebody else. */
  readonly ports: PartPorts;
  readonly signal: AbortSignal;
  /** Of the stage's advantage part where it learns no rewards: what its filters choose by. */
  readonly advantages?: AdvantageRows | undefined;
  /** Of this step, by component; absent = 1. */
  readonly rewardWeights?: { readonly [component: string]: number } | undefined;
  /** Optimizer steps of this update before this one, and in all; absent = the first of one. */
  readonly epoch?: { readonly taken: number; readonly of: number } | undefined;
};

export type PartPorts = {
  readonly judge?: JudgePort | undefined;
  /** Ids of the tokens that every call has, whatever it calls. */
  readonly structure?: ReadonlySet<number> | undefined;
  /** `[turns + 1]` log p(right answer | history) before each turn and after the last, nats. */
  readonly answerLogProbs?:
    | ((trajectory: JudgedTrajectory) => Promise<readonly number[]>)
    | undefined;
  readonly tasks?: TaskPort | undefined;
  readonly writer?: WriterPort | undefined;
  /** A rollout in words, for whoever reads it; absent = its calls and their results alone. */
  readonly describe?: ((trajectory: JudgedTrajectory) => TrajectoryText) | undefined;
  readonly rm?: RewardModelPort | undefined;
  readonly iprm?: ProcessModelPort | undefined;
};

export type TrajectoryText = { readonly request: string; readonly transcript: string };

/** Finds other tasks of the environment. */
export type TaskPort = {
  /** One of the next level; `null` where there is none. */
  readonly harder: (task: TaskReference) => TaskReference | null;
  /** Another one of the same level. */
  readonly sibling: (task: TaskReference, nth: number) => TaskReference;
};

/** A reward model as it is now: `[trajectories][turns]` what it says after the last token of each turn. */
type RewardModelPort = (
  trajectories: readonly JudgedTrajectory[],
) => Promise<readonly (readonly number[])[]>;

/** A process reward model and the reference that it departs from. */
type ProcessModelPort = (
  trajectories: readonly JudgedTrajectory[],
) => Promise<readonly ProcessLogProbs[]>;

/** `[samples][T]` log-probs of one trajectory's tokens. */
export type ProcessLogProbs = { readonly model: TokenRows; readonly reference: TokenRows };

type Named<Slot extends string, Needs extends StateName> = {
  readonly slot: Slot;
  /** As in the literature's tables: `branch-entropy`. */
  readonly part: string;
  /** State that it cannot work without. */
  readonly needs: readonly Needs[];
  /** Parts of the same slot that it changes or joins. */
  readonly around?: readonly { readonly slot: Slot; readonly part: string }[];
};

/** Whatever changes what the next parts see. */
export type StateChange = { readonly [name in StateName]?: unknown };

/** Whether trajectories come in groups that began alike. */
export type Start = "group" | "single";

export type RolloutPart<N extends StateName = never, S extends Start = Start> = Named<
  "rollout",
  N
> & {
  readonly start: S;
  readonly plan: (context: PartContext) => RolloutPlan;
};

/** What scores a trajectory: a number, or numbers by component, and what single turns earned. */
export type Reward = {
  readonly total: number;
  readonly components?: { readonly [name: string]: number };
  /** `[turns]` */
  readonly turnRewards?: readonly number[];
};

export type RewardPart<N extends StateName = never> = Named<"reward", N> & {
  /** @returns one score a trajectory of the group. Where it cannot judge it throws `REWARD_UNAVAILABLE`. */
  readonly rewards: (
    group: JudgedGroup,
    context: PartContext,
  ) => readonly Reward[] | Promise<readonly Reward[]>;
};

export type RewardedTrajectory = {
  readonly trajectory: JudgedTrajectory;
  readonly reward: Reward;
  /** `[samples][T]` tokens that count in the loss; starts as the samples' own masks. */
  readonly lossMask: LossMask;
  /** `[samples][T]` weight of each token, 1 where nobody said another. */
  readonly tokenWeights: TokenRows;
};

export type RewardedGroup = {
  readonly task: string;
  readonly trajectories: readonly RewardedTrajectory[];
};

export type Filtered = {
  readonly groups: readonly RewardedGroup[];
  /** Why trajectories were left out, by id. */
  readonly dropped: ReadonlyMap<string, string>;
  /** (chosen, rejected) ids, where the stage learns from preferences. */
  readonly pairs?: readonly (readonly [chosen: string, rejected: string])[];
  readonly state?: StateChange;
};

export type FilterPart<N extends StateName = never> = Named<"filter", N> & {
  /** Names tasks to roll out next, where the part chooses tasks. */
  readonly chooseTasks?: (
    candidates: readonly TaskReference[],
    count: number,
    context: PartContext,
  ) => readonly TaskReference[];
  readonly apply: (groups: readonly RewardedGroup[], context: PartContext) => Filtered;
  /** What it remembers of what the model says of the trajectories, before it learns from them. */
  readonly observes?: (minibatch: Observed, context: PartContext) => StateChange;
};

/** Rows `[B][T]` of what is about to be learned from, with the log-probs before the step. */
export type Observed = Pick<Minibatch, "trajectories" | "lossMask" | "proximalLogProbs">;

/** `[samples][T]` per trajectory id. */
export type AdvantageRows = ReadonlyMap<string, TokenRows>;

/** What an engine says of each token; a sample without a loss token has no row. */
export type PolicyOutputs = {
  readonly logProb: AdvantageRows;
  /** Absent where the engine has none. */
  readonly sumSquaredProb?: AdvantageRows | undefined;
};

export type AdvantagePart<N extends StateName = never, S extends Start = Start> = Named<
  "advantage",
  N
> & {
  /** What it can serve: a group statistic serves groups only. */
  readonly start: S;
  /** Outputs that it cannot work without: an engine that lacks one cannot run the recipe. */
  readonly reads?: readonly (keyof TokenOutputs)[];
  readonly estimate: (
    groups: readonly RewardedGroup[],
    context: PartContext & {
      /** Of what is trained, before the step; absent where no engine has read the trajectories. */
      readonly outputs?: PolicyOutputs;
      /** `[samples][T]` of the critic before each token and before the step, by trajectory id; absent without one. */
      readonly values?: AdvantageRows;
      /** `[samples]` of the critic after each sample's last token, by trajectory id. */
      readonly finalValues?: ReadonlyMap<string, readonly number[]>;
    },
  ) => {
    readonly advantages: AdvantageRows;
    /** What the critic is fitted to, in the unit of the rewards. */
    readonly returns?: AdvantageRows;
    readonly state?: StateChange;
  };
};

/** All of a minibatch's rows `[B][T]`, one a sample. */
export type Minibatch = {
  readonly lossMask: LossMask;
  /** `[B][T]` each token's share of the sum, from the aggregation. */
  readonly shares: TokenRows;
  /** Loss tokens in all: what metrics are means over. */
  readonly tokenCount: number;
  /** `[B][T]` what filters and rollouts weigh single tokens with. */
  readonly weights: TokenRows;
  readonly advantages: TokenRows;
  readonly policyLogProbs: TokenRows;
  readonly proximalLogProbs: TokenRows;
  readonly behaviorLogProbs: TokenRows;
  /** Absent where the engine has none. */
  readonly entropies?: TokenRows | undefined;
  /** With `ref`. */
  readonly referenceLogProbs?: TokenRows | undefined;
  /** With `teacher`. */
  readonly teacherLogProbs?: TokenRows | undefined;
  /** With `teacher`, where a loss reads `candidates`: the student's and the teacher's, of its likeliest tokens. */
  readonly candidateLogProbs?: CandidateLogProbs | undefined;
  readonly teacherCandidateLogProbs?: CandidateLogProbs | undefined;
  /**
   * With `critic`: now, before the step, and what they are fitted to. In a stage that trains a reward
   * model: what it says after each token.
   */
  readonly values?: TokenRows | undefined;
  readonly proximalValues?: TokenRows | undefined;
  readonly returns?: TokenRows | undefined;
  /** `[B]` */
  readonly trajectories: readonly RewardedTrajectory[];
  /** `[B]` which sample of its trajectory a row is. */
  readonly samples: readonly number[];
  /** Rows of (chosen, rejected). */
  readonly pairs: readonly (readonly [chosen: number, rejected: number])[];
};

export type LossPart<N extends StateName = never> = Named<"loss", N> & {
  /** Derivatives that its result holds: an engine without them cannot run the recipe. */
  readonly derivatives: readonly (keyof TokenDerivatives)[];
  /** How many of the teacher's likeliest tokens it reads at each loss token; absent = none. */
  readonly candidates?: number;
  /** Whose loss it is: absent = a policy's. */
  readonly of?: never;
  /** Which of the parameters may move; absent = all. */
  readonly trains?: (names: readonly string[], context: PartContext) => ReadonlySet<string>;
  /** What it is nothing without, beside tokens. */
  readonly reads?: never;
  /** Rows that begin alike are read as trees. */
  readonly packs?: true;
  /** Derivatives of its values end at the heads; absent = they go on into the decoder. */
  readonly endsAtHeads?: true;
  /** Steps on fast weights before each outer step. */
  readonly inner?: InnerSteps;
  readonly compute: (minibatch: Minibatch, context: PartContext) => LossResult;
};

/** A loss of pairs: in a stage whose filters make none it learns nothing. */
export type PairLoss<N extends StateName = never> = Omit<LossPart<N>, "reads"> & {
  readonly reads: "pairs";
};

/** What fast weights do before an outer step is taken at them. */
export type InnerSteps = Pick<LossPart<StateName>, "compute" | "trains"> & {
  readonly steps: number;
  readonly learningRate: number;
};

/** A loss of a reward model's values. */
export type RewardModelLoss<N extends StateName = never> = Omit<LossPart<N>, "of"> & {
  readonly of: "rm";
};

/** In the loss slot of a stage that merges: from what others learned to parameters, without a gradient. */
export type MergePart = Named<"loss", "delta"> & {
  /**
   * @param base what all members began with.
   * @param deltas what each of them changed.
   */
  readonly merge: (
    base: TensorMap,
    deltas: readonly TensorMap[],
    context: Pick<PartContext, "random">,
  ) => TensorMap;
};
