/**
 * The seven kinds of part that a recipe combines: rollout, filter, reward, advantage, loss, state and
 * schedule. A part has a name from the literature, the state it needs, and a pure function. Parts run no
 * model: a rollout part says which rollouts a driver runs, and a loss part sees numbers.
 */
import type {
  TaskReference,
  TensorMap,
  TokenDerivatives,
  TokenOutputs,
  TrainSequence,
} from "@waggle/protocol";
import type { WriterPort } from "../advantages/semantic-comparison.ts";
import type { LossResult } from "../loss.ts";
import type { CandidateLogProbs } from "../losses/imitation/candidate-log-probs.ts";
import type { MismatchedLogProbs } from "../losses/preference/mismatched-pairs.ts";
import type { JudgePort } from "../rewards/judge-port.ts";
import type { LossMask, TokenRows } from "../token-rows.ts";
import type { JudgedGroup, JudgedTrajectory } from "./judged-trajectory.ts";
import type { RolloutStrategy } from "./rollout-strategy.ts";
import type { StateName } from "./state.ts";

/** State by name, visible to the parts that need it. */
export type StateValues = { readonly [name in StateName]?: unknown };

/** The context that every part gets. */
export type PartContext = {
  /** Steps taken in this stage so far. */
  readonly step: number;
  /** Number of steps of this stage. */
  readonly steps: number;
  /** Seeded random numbers in [0, 1). */
  readonly random: () => number;
  readonly state: StateValues;
  /** Connections that the trainer opened for this run, such as a judge. */
  readonly ports: PartPorts;
  readonly signal: AbortSignal;
  /** Estimates of the advantage part, for filters of a stage that does not learn from rewards. */
  readonly advantages?: AdvantageRows | undefined;
  /** Reward weights at this step, by component; absent = 1. */
  readonly rewardWeights?: { readonly [component: string]: number } | undefined;
  /** Index of the optimizer step within this update, and their number; absent = the first of one. */
  readonly epoch?: { readonly taken: number; readonly of: number } | undefined;
};

/** Connections of a part to the outside: a judge, a writer, other models. */
export type PartPorts = {
  readonly judge?: JudgePort | undefined;
  /** Ids of the tokens that are part of every tool call. */
  readonly structure?: ReadonlySet<number> | undefined;
  /** `[turns + 1]` log p(right answer | history) before each turn and after the last, in nats. */
  readonly answerLogProbs?:
    | ((trajectory: JudgedTrajectory) => Promise<readonly number[]>)
    | undefined;
  readonly tasks?: TaskPort | undefined;
  readonly writer?: WriterPort | undefined;
  /** Renders a trajectory as text for a judge or a writer; absent = only its calls and results. */
  readonly describe?: ((trajectory: JudgedTrajectory) => TrajectoryText) | undefined;
  /** The trajectory with another text before its first turn, after its guidance: same turns, new tokens. */
  readonly prefaced?:
    | ((trajectory: JudgedTrajectory, text: string) => Promise<JudgedTrajectory>)
    | undefined;
  /**
   * A sample's sequence with a text after the visitor's request. With it in the prompt, the policy is its own teacher.
   * `null` if the sample does not begin with a request.
   */
  readonly hinted?:
    | ((trajectory: JudgedTrajectory, sample: number, text: string) => HintedSequence | null)
    | undefined;
  readonly rm?: RewardModelPort | undefined;
  readonly iprm?: ProcessModelPort | undefined;
};

/** A sequence with `count` more tokens at index `at`. */
type HintedSequence = {
  readonly sequence: TrainSequence;
  readonly at: number;
  readonly count: number;
};

export type TrajectoryText = { readonly request: string; readonly transcript: string };

/** Finds related tasks of the environment. */
export type TaskPort = {
  /** A task of the next level; `null` if there is none. */
  readonly harder: (task: TaskReference) => TaskReference | null;
  /** Another task of the same level. */
  readonly sibling: (task: TaskReference, nth: number) => TaskReference;
};

/** The current reward model: `[trajectories][turns]` its value after the last token of each turn. */
type RewardModelPort = (
  trajectories: readonly JudgedTrajectory[],
) => Promise<readonly (readonly number[])[]>;

/** An implicit process reward model and its reference. */
type ProcessModelPort = (
  trajectories: readonly JudgedTrajectory[],
) => Promise<readonly ProcessLogProbs[]>;

/** `[samples][T]` log-probs of one trajectory's tokens. */
export type ProcessLogProbs = { readonly model: TokenRows; readonly reference: TokenRows };

type Named<Slot extends string, Needs extends StateName> = {
  readonly slot: Slot;
  /** Name in the literature's tables, such as `branch-entropy`. */
  readonly part: string;
  /** State that the part requires. */
  readonly needs: readonly Needs[];
  /** Reads the entropy of each sampled token, which a server of a model may not send. */
  readonly readsEntropies?: true;
  /** Parts of the same slot that it wraps. */
  readonly around?: readonly { readonly slot: Slot; readonly part: string }[];
};

/** Changes to the state, seen by the parts that follow. */
export type StateChange = { readonly [name in StateName]?: unknown };

/** Whether rollouts come in groups with the same start. */
export type Start = "group" | "single";

/** Decides which rollouts a task gets. */
export type RolloutPart<N extends StateName = never, S extends Start = Start> = Named<
  "rollout",
  N
> & {
  readonly start: S;
  /** Expects a sampler that is several versions older than the trained policy. */
  readonly expectsStaleness?: true;
  readonly strategy: (context: PartContext) => RolloutStrategy;
};

/** The reward of a trajectory, optionally split by component and by turn. */
export type Reward = {
  readonly total: number;
  readonly components?: { readonly [name: string]: number };
  /** `[turns]` */
  readonly turnRewards?: readonly number[];
};

/** Measures beyond the verdict: progress of a failed rollout, and closeness of a wrong answer. */
export type EnvironmentMeasure = "progress" | "closeness";

/** The kinds of feedback that a reward is made of, and their weights, above 0. */
export type FeedbackWeights = {
  /** Of the visitor's thumb. */
  readonly thumb?: number;
  /** Times the weight of each metric of the site. */
  readonly outcome?: number;
  /** Of what the visitor's next message says about the answer, or of a click on "Try again". */
  readonly message?: number;
  /** Of the visitor undoing what the agent did. */
  readonly undo?: number;
  /** The answer as the visitor edited it is imitated. With an edit, no other feedback of the visitor counts. */
  readonly edit?: number;
  /** The answer that the site's staff wrote is imitated. With one, no feedback of the visitor counts. */
  readonly staff?: number;
  /** The answer after "Try again" is preferred to the one before it. In such a pair, only edits and staff count as well. */
  readonly retry?: number;
};

/** Rewards the trajectories of one group. */
export type RewardPart<N extends StateName = never> = Named<"reward", N> & {
  /** Measures that the environment must give. Without them the reward is the verdict. */
  readonly reads?: readonly EnvironmentMeasure[];
  /** The verdict comes from feedback of these kinds, in place of a verifier. Without any there is no reward. */
  readonly feedback?: FeedbackWeights;
  /** @returns one reward for each trajectory. @throws WaggleError `REWARD_UNAVAILABLE` if it cannot judge. */
  readonly rewards: (
    group: JudgedGroup,
    context: PartContext,
  ) => readonly Reward[] | Promise<readonly Reward[]>;
};

/** A trajectory with its reward and the tokens that are trained on. */
export type RewardedTrajectory = {
  readonly trajectory: JudgedTrajectory;
  readonly reward: Reward;
  /** `[samples][T]` tokens that enter the loss; initially the samples' own masks. */
  readonly lossMask: LossMask;
  /** `[samples][T]` weight of each token; initially 1. */
  readonly tokenWeights: TokenRows;
};

/** The rewarded trajectories of one task. */
export type RewardedGroup = {
  readonly task: string;
  readonly trajectories: readonly RewardedTrajectory[];
};

export type Filtered = {
  readonly groups: readonly RewardedGroup[];
  /** Reasons why trajectories were dropped, by trajectory id. */
  readonly dropped: ReadonlyMap<string, string>;
  /** (chosen, rejected) trajectory ids, in a stage that learns from preferences. */
  readonly pairs?: readonly (readonly [chosen: string, rejected: string])[];
  readonly state?: StateChange;
};

/** Chooses tasks, or selects and weights trajectories before advantages are computed. */
export type FilterPart<N extends StateName = never> = Named<"filter", N> & {
  /** Tasks to roll out next, from a part that chooses tasks. */
  readonly chooseTasks?: (
    candidates: readonly TaskReference[],
    count: number,
    context: PartContext,
  ) => readonly TaskReference[];
  readonly apply: (groups: readonly RewardedGroup[], context: PartContext) => Filtered;
  /** Stores numbers of the model about the trajectories before it learns from them. */
  readonly observes?: (minibatch: Observed, context: PartContext) => StateChange;
};

/** Rows `[B][T]` of the coming update, with the log-probs before it. */
export type Observed = Pick<Minibatch, "trajectories" | "lossMask" | "proximalLogProbs">;

/** `[samples][T]` by trajectory id. */
export type AdvantageRows = ReadonlyMap<string, TokenRows>;

/** An engine's numbers for each token; a sample without a loss token has no row. */
export type PolicyOutputs = {
  readonly logProb: AdvantageRows;
  /** Absent where the engine has none. */
  readonly sumSquaredProb?: AdvantageRows | undefined;
};

/** Turns rewards into `[samples][T]` advantages. */
export type AdvantagePart<N extends StateName = never, S extends Start = Start> = Named<
  "advantage",
  N
> & {
  /** Kinds of rollouts that it accepts: a group statistic accepts only groups. */
  readonly start: S;
  /** Engine outputs that it requires; an engine without them cannot run the recipe. */
  readonly reads?: readonly (keyof TokenOutputs)[];
  /** Reads `hindsight`, which takes a forward pass of its own. */
  readonly readsHindsight?: true;
  readonly estimate: (
    groups: readonly RewardedGroup[],
    context: PartContext & {
      /** Numbers of the trained model before the step; absent if no engine has read the trajectories. */
      readonly outputs?: PolicyOutputs;
      /**
       * `[samples][T]` log-probs of the trained model before the step, with the visitor's correction in the prompt. Only of
       * trajectories that have one. Absent if the part does not read it.
       */
      readonly hindsight?: AdvantageRows;
      /** `[samples][T]` critic values before each token, by trajectory id; absent without a critic. */
      readonly values?: AdvantageRows;
      /** `[samples]` critic values after each sample's last token, by trajectory id. */
      readonly finalValues?: ReadonlyMap<string, readonly number[]>;
    },
  ) => {
    readonly advantages: AdvantageRows;
    /**
     * By trajectory id, the share of the absolute advantage that the visitor's correction causes, in [0, 1]. Absent: the
     * part reads no corrections.
     */
    readonly ofCorrection?: ReadonlyMap<string, number>;
    /** Targets of the critic, in the unit of the rewards. */
    readonly returns?: AdvantageRows;
    readonly state?: StateChange;
  };
};

/** The rows `[B][T]` of a minibatch, one per sample. */
export type Minibatch = {
  readonly lossMask: LossMask;
  /** `[B][T]` weight of each token in the sum, from the aggregation. */
  readonly shares: TokenRows;
  /** Number of loss tokens; metrics are means over them. */
  readonly tokenCount: number;
  /** `[B][T]` token weights from filters and rollouts. */
  readonly weights: TokenRows;
  readonly advantages: TokenRows;
  readonly policyLogProbs: TokenRows;
  readonly proximalLogProbs: TokenRows;
  readonly behaviorLogProbs: TokenRows;
  /** Absent where the engine has none. */
  readonly entropies?: TokenRows | undefined;
  /** With state `ref`. */
  readonly referenceLogProbs?: TokenRows | undefined;
  /** With state `teacher`. */
  readonly teacherLogProbs?: TokenRows | undefined;
  /** With state `teacher` and a loss that reads `candidates`: log-probs of the teacher's likeliest tokens under both. */
  readonly candidateLogProbs?: CandidateLogProbs | undefined;
  readonly teacherCandidateLogProbs?: CandidateLogProbs | undefined;
  /**
   * With state `critic`: its values now, before the step, and their targets. In a stage that trains a
   * reward model: its value after each token.
   */
  readonly values?: TokenRows | undefined;
  readonly proximalValues?: TokenRows | undefined;
  readonly returns?: TokenRows | undefined;
  /** For a loss with `mismatches`: log-probs of each row's prompt with another row's completion. */
  readonly mismatched?: MismatchedLogProbs | undefined;
  /** `[B]` */
  readonly trajectories: readonly RewardedTrajectory[];
  /** `[B]` index of each row's sample within its trajectory. */
  readonly samples: readonly number[];
  /** Row indices of (chosen, rejected). */
  readonly pairs: readonly (readonly [chosen: number, rejected: number])[];
};

/** A loss over a minibatch: its value in nats and its derivatives by token. */
export type LossPart<N extends StateName = never> = Named<"loss", N> & {
  /** Derivatives in its result; an engine that cannot use them cannot run the recipe. */
  readonly derivatives: readonly (keyof TokenDerivatives)[];
  /** Number of the teacher's likeliest tokens that it reads at each loss token; absent = none. */
  readonly candidates?: number;
  /** The model whose loss it is; absent = the policy. */
  readonly of?: never;
  /** Parameters that it trains; absent = all. */
  readonly trains?: (names: readonly string[], context: PartContext) => ReadonlySet<string>;
  /** Inputs that it requires besides tokens. */
  readonly reads?: never;
  /** Weights or drops tokens by the sampling policy's log-probs. */
  readonly corrects?: true;
  /** Requires an engine that computes shared prefixes of rows once. */
  readonly packs?: true;
  /**
   * The sentence on the outcome before a trajectory in training; for `null`, the sentence before a new
   * rollout, which asks for the best outcome.
   */
  readonly condition?: (trajectory: RewardedTrajectory | null) => string;
  /** Whether it reads log-probs of mismatched pairs besides those of the rows. */
  readonly mismatches?: true;
  /** Gradients of its values stop at the heads; absent = they flow into the decoder. */
  readonly endsAtHeads?: true;
  /** Inner steps on fast weights before each outer step. */
  readonly inner?: InnerSteps;
  readonly compute: (minibatch: Minibatch, context: PartContext) => LossResult;
};

/** A loss of pairs. It needs a filter that makes pairs. */
export type PairLoss<N extends StateName = never> = Omit<LossPart<N>, "reads"> & {
  readonly reads: "pairs";
};

/** Inner steps on fast weights, at whose result the outer step is taken. */
export interface InnerSteps extends Pick<LossPart<StateName>, "compute" | "trains"> {
  readonly steps: number;
  readonly learningRate: number;
}

/** A loss on the values of a reward model. */
export type RewardModelLoss<N extends StateName = never> = Omit<LossPart<N>, "of"> & {
  readonly of: "rm";
};

/** In the loss slot of a merge stage: combines the parameters of several members without a gradient. */
export type MergePart = Named<"loss", "delta"> & {
  /**
   * @param base the common initial parameters.
   * @param deltas the change of each member.
   */
  readonly merge: (
    base: TensorMap,
    deltas: readonly TensorMap[],
    context: Pick<PartContext, "random">,
  ) => TensorMap;
};
