/**
 * The description of an environment to train in: it creates tasks from seeds, verifies them and provides a
 * demonstrator with an adjustable mistake rate. Everything is determined by the seed. `rollOut` runs the
 * loop.
 */
import type {
  Environment,
  EnvironmentFeature,
  Observation,
  Task,
  TaskReference,
  TaskSplit,
  ToolCall,
  Verification,
  RandomSource,
} from "@waggle/protocol";

/** A verdict, with rewards of single turns if the environment gives them. */
export type Judgment = Verification & {
  /** `[turns with calls that reached the environment]`, each in [0, 1], with a sum of at most 1. */
  readonly turnRewards?: readonly number[];
};

/** The environment of one rollout, with its verifier. */
export type JudgedEnvironment = {
  readonly environment: Environment;
  /**
   * Judges the environment in its current state. The built-in verifiers answer at once; a user's reward
   * function may ask a server.
   *
   * @param finalText - text of the last turn; `null` if the rollout was cut before it answered.
   */
  readonly judge: (finalText: string | null) => Judgment | Promise<Judgment>;
};

/** A demonstrator's next turn. */
export type DemonstratedAction = {
  readonly text: string;
  readonly calls: readonly Omit<ToolCall, "id">[];
};

/** Chooses the next turn. Gets the observation that followed its last one, or `null` at the start. */
export type Demonstrator = (observation: Observation | null) => DemonstratedAction;

/**
 * How the base model of an environment learns to read cases. Some demonstrations start with a case, as
 * rollouts with guidance do, and act on it. The content of a case is random, so that the base learns
 * nothing except reading.
 */
export type ReadingLessons = {
  /** Share of demonstrations that get a case, in [0, 1]. */
  readonly share: number;
  /** Mistake rate of the demonstrations without a case. */
  readonly mistakes: number;
  readonly lesson: (random: RandomSource) => ReadingLesson;
};

/** A random case and a demonstrator that acts on it. */
export type ReadingLesson = {
  readonly case: { readonly situation: string; readonly action: string; readonly reward: number };
  /** Acts on the case. */
  readonly reader: Demonstrator;
};

/** Turns with a known verdict, to test a verifier with. */
type VerifierExamples = {
  /** Turns that must succeed. */
  readonly gold: (reference: TaskReference) => Demonstrator | Promise<Demonstrator>;
  /** Turns that nearly succeed and must fail; may be empty. */
  readonly nearMisses: (
    reference: TaskReference,
  ) => readonly Demonstrator[] | Promise<readonly Demonstrator[]>;
};

/** Everything that training needs to know about an environment. */
export type EnvironmentSpec = {
  /** Name in task references. */
  readonly name: string;
  /** Where a user's environment was loaded from, with a digest of its file. Absent = it is built in. */
  readonly source?: string;
  /** Names in task references by level, if each level has its own. Absent = `name` for all levels. */
  readonly environments?: readonly string[];
  /** Turn limit of a rollout: what the task needs, plus some to spare. */
  readonly maxTurns: number;
  /** Token limit of one turn. Absent = what calls and answers of the built-in environments need. */
  readonly maxTurnTokens?: number;
  /** Context length in tokens that a base model for it must have. Absent = the usual one. */
  readonly contextLength?: number;
  /** For environments in which tasks can be proposed by a policy. */
  readonly proposals?: TaskProposals;
  /** As `proposals`, with documents that only the proposer sees. */
  readonly documented?: TaskProposals;
  /**
   * For environments with a memory: every message contains all the information, so each turn can be
   * taken by a different policy.
   */
  readonly memory?: {
    /** True if a message asks a question to be answered from the memory. */
    readonly isQuestion: (message: string) => boolean;
  };
  /** Lessons for the base model, if it must read guidance. Absent = it never sees such text. */
  readonly reading?: ReadingLessons;
  /**
   * What it measures beside the verdict. `progress`: how far a failed run came, as rewards of single turns or
   * as that number among the parts of its judgment. `closeness`: how near a miss came, as that number.
   * Absent = nothing.
   */
  readonly measures?: readonly ("progress" | "closeness")[];
  /** What recipes can need of it. Absent = nothing besides its tools. */
  readonly features?: readonly EnvironmentFeature[];
  /**
   * Where a policy that practices here must not get worse: the gate plays its held-out tasks, and they are never trained
   * on. Absent = nowhere.
   */
  readonly retention?: EnvironmentSpec;
  /** Number of difficulty levels, at least 1. */
  readonly levels: number;
  /** A reference at this level, from 0 (easiest) to levels − 1. `seed` is any unsigned 32-bit integer. */
  readonly reference: (seed: number, split: TaskSplit, level: number) => TaskReference;
  /** The level of a reference. */
  readonly levelOf: (reference: TaskReference) => number;
  /** @throws WaggleError `INVALID_ARGUMENT` for a reference of another environment. */
  readonly task: (reference: TaskReference) => Task;
  readonly create: (reference: TaskReference) => JudgedEnvironment;
  /** A copy of the state in which a task begins, as its author wrote it. Absent = it has none to show. */
  readonly startState?: (reference: TaskReference) => unknown;
  /** Every prompt of a prompt dataset, so that a run can check their lengths before it begins. */
  readonly prompts?: readonly { readonly system: string; readonly request: string }[];
  /** The dataset's row for a task. Absent = there is no dataset. */
  readonly columns?: (reference: TaskReference) => { readonly [column: string]: unknown };
  /** Turns with a known verdict. Absent = none. */
  readonly examples?: VerifierExamples;
  /** @param mistakes - probability of a wrong decision, in [0, 1]. With 0 it solves every task. */
  readonly demonstrator: (
    reference: TaskReference,
    random: RandomSource,
    mistakes: number,
  ) => Demonstrator | Promise<Demonstrator>;
};

/**
 * Tasks that a policy proposes. A verifier computes their answers, so a proposer's own answer is never
 * trusted. The reference names the environment that the proposal is about.
 */
export type TaskProposals = {
  /** The environment of the proposer, who succeeds by proposing a valid task. */
  readonly proposer: EnvironmentSpec;
  /** An environment whose only task is the proposed one; `null` if the text is not a valid task. */
  readonly solver: (text: string, reference: TaskReference) => EnvironmentSpec | null;
};

/** References in which the seed modulo the number of levels is the level. */
export function leveledReferences(
  name: string,
  levels: number,
): Pick<EnvironmentSpec, "reference" | "levelOf" | "levels" | "name"> {
  return {
    name,
    levels,
    reference: (seed, split, level) => {
      const block = Math.floor((seed >>> 0) / levels) % Math.floor(0xffff_ffff / levels);
      return { environment: name, seed: block * levels + level, split };
    },
    levelOf: ({ seed }) => seed % levels,
  };
}
