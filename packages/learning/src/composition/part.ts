/**
 * The seven kinds of part that a recipe is made of. A part is a name of the literature, the state it
 * needs, and a pure function. Not an engine, not a driver: a rollout part is a plan that the trainer
 * carries out, a loss part sees numbers.
 */
import type { TaskReference, TensorMap, TokenDerivatives } from "@waggle/protocol";
import type { LossResult } from "../loss.ts";
import type { WriterPort } from "../advantages/semantic-comparison.ts";
import type { JudgePort } from "../rewards/judge-port.ts";
import type { DemonstrationForm } from "../rollouts/demonstration-form.ts";
import type { WorldChange } from "../rollouts/world-change.ts";
import type { LossMask, TokenRows } from "../token-rows.ts";
import type { Episode, EpisodeGroup } from "./episode.ts";
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
};

export type PartPorts = {
  readonly judge?: JudgePort | undefined;
  /** Ids of the tokens that every call has, whatever it calls. */
  readonly structure?: ReadonlySet<number> | undefined;
  /** `[turns + 1]` log p(right answer | history) before each turn and after the last, nats. */
  readonly answerLogProbs?: ((episode: Episode) => Promise<readonly number[]>) | undefined;
  readonly tasks?: TaskPort | undefined;
  readonly writer?: WriterPort | undefined;
  /** An attempt in words, for whoever reads it; absent = its calls and their results alone. */
  readonly describe?: ((episode: Episode) => EpisodeText) | undefined;
  readonly rm?: RewardModelPort | undefined;
  readonly iprm?: ProcessModelPort | undefined;
};

export type EpisodeText = { readonly request: string; readonly transcript: string };

/** Finds other tasks of the environment. */
export type TaskPort = {
  /** One of the next level; `null` where there is none. */
  readonly harder: (task: TaskReference) => TaskReference | null;
  /** Another one of the same level. */
  readonly sibling: (task: TaskReference, nth: number) => TaskReference;
};

/** A reward model as it is now: `[episodes][turns]` what it says after the last token of each turn. */
export type RewardModelPort = (
  episodes: readonly Episode[],
) => Promise<readonly (readonly number[])[]>;

/** A process reward model and the reference that it departs from. */
export type ProcessModelPort = (
  episodes: readonly Episode[],
) => Promise<readonly ProcessLogProbs[]>;

/** `[samples][T]` log-probs of one episode's tokens. */
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

/** How episodes come about; the trainer carries it out. */
export type RolloutPlan =
  /** `size` episodes of each task from its start; 1 = no group. */
  | {
      readonly kind: "group";
      readonly size: number;
      readonly modes?: readonly string[];
      /** Around the environment, one for each episode in turn; `null` = as it is. */
      readonly worlds?: readonly (WorldChange | null)[];
      /** Demonstrations of each task beside the episodes, in the role `reference`. */
      readonly references?: number;
    }
  /** `size` episodes of each task, at most `turns` turns now; those that were cut before go on first. */
  | {
      readonly kind: "partial";
      readonly size: number;
      readonly turns: number;
      /** Of a whole episode. */
      readonly most: number;
      readonly unfinished: readonly EpisodeGroup[];
    }
  /** The environment's own demonstrator, with a share of its decisions made at random. */
  | {
      readonly kind: "demos";
      readonly size: number;
      /** One share, or one for each demonstrator in turn. */
      readonly mistakes: number | readonly number[];
      /** Sentences of the system message, one for each demonstration in turn. */
      readonly modes?: readonly string[];
      /** Attempts of the policy at the same task, before the demonstrations; default 0. */
      readonly students?: number;
      /** What each demonstration in turn is of, in the role of that name; default the task itself. */
      readonly forms?: readonly DemonstrationForm[];
      /** At training tasks of the same level in the task's place; default no. */
      readonly neighbors?: boolean;
      /** Who made each demonstration, in turn over all tasks as `mistakes` is, in that role. */
      readonly names?: readonly string[];
    }
  /** Whole episodes, and branches that leave them where `branch` says. */
  | {
      readonly kind: "branch";
      readonly whole: number;
      readonly size: number;
      /**
       * Asked of every turn that follows a tool result: is this a place to branch?
       * @param entropies `[turns]` mean entropy of the first sampled tokens of each turn so far, in nats.
       */
      readonly branchAt: (
        entropies: readonly number[],
        branchesInARow: number,
        random: () => number,
      ) => boolean;
    }
  /** `size` actions of the policy at single turns of stored episodes. */
  | { readonly kind: "pivot"; readonly size: number }
  /**
   * Goes on from the first turns of a stored episode. With `continuations` the group holds that episode
   * too, as `expert`, and so many attempts that go on from its next turn, and from the policy's.
   */
  | {
      readonly kind: "prefix";
      readonly size: number;
      readonly source: "failed" | "expert";
      readonly continuations?: number;
    }
  /** `size` attempts at each task, each going on from a turn of an earlier one. */
  | {
      readonly kind: "tree";
      readonly size: number;
      /** Where the next one begins: so many turns of an attempt; `null` = from the start. */
      readonly next: (
        task: string,
        episodes: readonly Episode[],
      ) => { readonly attempt: string; readonly turns: number } | null;
    }
  /** A failed attempt is told of its failure and tries again in the same context. */
  | {
      readonly kind: "retry";
      readonly size: number;
      readonly guidance: string;
      /**
       * So many answers in all, each told of its failure, and then a teacher that errs so often; turns are
       * paid what their answer was worth. Default one more, and no teacher.
       */
      readonly trials?: { readonly most: number; readonly teacher: number };
    }
  /**
   * Each turn in a context of its own: the request, what was noted so far, the last result. An episode a
   * turn, all judged by the attempt's end.
   */
  | {
      readonly kind: "folded";
      /** How often the demonstrator errs; `null` = the policy acts. */
      readonly mistakes: number | null;
      /** Whether a note may replace all before it. */
      readonly consolidates: boolean;
    }
  /**
   * Two attempts of the policy at each task, the second told `rethink`, in the role `student`; then both
   * again and a demonstration, in the roles of the situations, the later two with their words said first.
   */
  | { readonly kind: "situated"; readonly rethink: string; readonly words: SituationWords }
  /**
   * Stored episodes, no environment. Beside each of them actions of the policy at one of its turns, in
   * the role `proposal`; the environment answers them where they are to be `answered`.
   */
  | {
      readonly kind: "log";
      readonly size: number;
      readonly proposals: { readonly count: number; readonly answered?: boolean };
    }
  /** A person acts for `turns` turns after `failures` failed ones in a row, and gives back. */
  | {
      readonly kind: "takeover";
      readonly size: number;
      readonly failures: number;
      readonly turns: number;
    }
  /** Parameters moved by seeded noise, one episode of each task a perturbation. */
  | { readonly kind: "noise"; readonly perturbations: number; readonly scale: number }
  /** `size` joint attempts of each task, each of them by all `roles`, in their order. */
  | {
      readonly kind: "team";
      readonly size: number;
      /**
       * `together`: one world, a conversation each, nobody sees the others of a round. `relay`: one
       * after the other, each reads what those before it answered. `apart`: nobody knows of the others.
       */
      readonly how: "together" | "relay" | "apart";
      /** The checkpoint that plays the role `opponent`. */
      readonly opponent?: string | null;
      readonly roles: readonly string[];
      /** Of the system message, by role. */
      readonly sentences?: { readonly [role: string]: string };
    }
  /** Nothing is rolled out. */
  | { readonly kind: "none" };

export type Situation = "go-on" | "rethink" | "ask";
export type SituationWords = { readonly [situation in Exclude<Situation, "go-on">]: string };

/** Whether episodes come in groups that began alike. */
export type Start = "group" | "single";

export type RolloutPart<N extends StateName = never, S extends Start = Start> = Named<
  "rollout",
  N
> & {
  readonly start: S;
  readonly plan: (context: PartContext) => RolloutPlan;
};

/** What scores an episode: a number, or numbers by component, and what single turns earned. */
export type Score = {
  readonly reward: number;
  readonly components?: { readonly [name: string]: number };
  /** `[turns]` */
  readonly turnRewards?: readonly number[];
};

export type RewardPart<N extends StateName = never> = Named<"reward", N> & {
  /** @returns one score an episode of the group. Where it cannot judge it throws `REWARD_UNAVAILABLE`. */
  readonly score: (
    group: EpisodeGroup,
    context: PartContext,
  ) => readonly Score[] | Promise<readonly Score[]>;
};

export type ScoredEpisode = {
  readonly episode: Episode;
  readonly score: Score;
  /** `[samples][T]` tokens that count in the loss; starts as the samples' own masks. */
  readonly lossMask: LossMask;
  /** `[samples][T]` weight of each token, 1 where nobody said another. */
  readonly tokenWeights: TokenRows;
};
export type ScoredGroup = { readonly task: string; readonly episodes: readonly ScoredEpisode[] };

export type Filtered = {
  readonly groups: readonly ScoredGroup[];
  /** Why episodes were left out, by id. */
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
  readonly apply: (groups: readonly ScoredGroup[], context: PartContext) => Filtered;
  /** What it remembers of what the model says of the episodes, before it learns from them. */
  readonly observes?: (minibatch: Observed, context: PartContext) => StateChange;
};

/** Rows `[B][T]` of what is about to be learned from, with the log-probs before the step. */
export type Observed = Pick<Minibatch, "episodes" | "lossMask" | "proximalLogProbs">;

/** `[samples][T]` per episode id. */
export type AdvantageRows = ReadonlyMap<string, TokenRows>;

export type AdvantagePart<N extends StateName = never, S extends Start = Start> = Named<
  "advantage",
  N
> & {
  /** What it can serve: a group statistic serves groups only. */
  readonly start: S;
  readonly estimate: (
    groups: readonly ScoredGroup[],
    context: PartContext & {
      /** `[samples][T]` of the critic before each token and before the step, by episode id; absent without one. */
      readonly values?: AdvantageRows;
      /** `[samples]` of the critic after each sample's last token, by episode id. */
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
  /**
   * With `critic`: now, before the step, and what they are fitted to. In a stage that trains a reward
   * model: what it says after each token.
   */
  readonly values?: TokenRows | undefined;
  readonly proximalValues?: TokenRows | undefined;
  readonly returns?: TokenRows | undefined;
  /** `[B]` */
  readonly episodes: readonly ScoredEpisode[];
  /** `[B]` which sample of its episode a row is. */
  readonly samples: readonly number[];
  /** Rows of (chosen, rejected). */
  readonly pairs: readonly (readonly [chosen: number, rejected: number])[];
};

export type LossPart<N extends StateName = never> = Named<"loss", N> & {
  /** Derivatives that its result holds: an engine without them cannot run the recipe. */
  readonly derivatives: readonly (keyof TokenDerivatives)[];
  /** Whose loss it is: absent = a policy's. */
  readonly of?: never;
  /** Which of the parameters may move; absent = all. */
  readonly trains?: (names: readonly string[], context: PartContext) => ReadonlySet<string>;
  /** Rows that begin alike are read as trees. */
  readonly packs?: true;
  /** Steps on fast weights before each outer step. */
  readonly inner?: InnerSteps;
  readonly compute: (minibatch: Minibatch, context: PartContext) => LossResult;
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
