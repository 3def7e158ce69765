/**
 * An environment of tasks to learn in: environments by seed, what judges them, and a demonstrator with a dial for
 * its mistakes. A seed names everything; nothing here is drawn anew. Not the driver, which is `rollOut`.
 */
import type {
  Environment,
  Observation,
  Task,
  TaskReference,
  TaskSplit,
  ToolCall,
  Verification,
} from "@waggle/protocol";
import type { RandomSource } from "./random.ts";

/** A verifier's words, and what single turns earned where the environment pays them. */
export type Judgement = Verification & {
  /** `[turns with calls that reached the environment]`, in [0, 1] and adding up to at most 1. */
  readonly turnRewards?: readonly number[];
};

/** One rollout's environment. */
export type JudgedEnvironment = {
  readonly environment: Environment;
  /**
   * Judges the environment as it stands.
   *
   * @param finalText text of the last turn, `null` where the rollout was cut before it answered.
   */
  readonly judge: (finalText: string | null) => Judgement;
};

/** What a demonstrator does next. */
export type DemonstratedAction = {
  readonly text: string;
  readonly calls: readonly Omit<ToolCall, "id">[];
};

/** Told what its last action came to, `null` at the start. */
export type Demonstrator = (observation: Observation | null) => DemonstratedAction;

/**
 * How the base of an environment is taught to read: some of its demonstrations are given a case of a rollout, as
 * rollouts are given theirs, and do what the case says. What is in the case is drawn, so that reading is
 * all that is taught.
 */
export type ReadingLessons = {
  /** Share of demonstrations with a case, in [0, 1]. */
  readonly share: number;
  /** Of the demonstrations without one. */
  readonly mistakes: number;
  readonly lesson: (random: RandomSource) => ReadingLesson;
};

export type ReadingLesson = {
  readonly case: { readonly situation: string; readonly action: string; readonly reward: number };
  /** Who has read it. */
  readonly reader: Demonstrator;
};

export type EnvironmentSpec = {
  /** As in a task reference. */
  readonly name: string;
  /** By level, where each has a name of its own in a task reference; absent = `name` at all of them. */
  readonly environments?: readonly string[];
  /** Most turns that a rollout needs, with some to spare. */
  readonly maxTurns: number;
  /** Tokens that a base of its own must be able to read; absent = what bases usually can. */
  readonly contextLength?: number;
  /** Where tasks can be proposed: who sets them, and what becomes of what was said. */
  readonly proposals?: TaskProposals;
  /** Where tasks can be set from documents, which who solves them never sees. */
  readonly documented?: TaskProposals;
  /**
   * Where there is a memory to be kept: every message says all that may be known, so that each turn can be
   * somebody else's.
   */
  readonly memory?: {
    /** Whether a message asks, to be answered from the memory, and does not tell. */
    readonly isQuestion: (message: string) => boolean;
  };
  /** Where the base policy is to read what it is given; absent = it never saw such text. */
  readonly reading?: ReadingLessons;
  /** Steps of the difficulty dial, ≥ 1. */
  readonly levels: number;
  /** A reference of this level, 0 (easiest) to levels − 1; `seed` is any unsigned 32-bit integer. */
  readonly reference: (seed: number, split: TaskSplit, level: number) => TaskReference;
  /** Level of a reference. */
  readonly levelOf: (reference: TaskReference) => number;
  /** @throws WaggleError `INVALID_ARGUMENT` for a reference of another environment. */
  readonly task: (reference: TaskReference) => Task;
  readonly create: (reference: TaskReference) => JudgedEnvironment;
  /** @param mistakes probability that a decision is made wrong, in [0, 1]; 0 solves every task. */
  readonly demonstrator: (
    reference: TaskReference,
    random: RandomSource,
    mistakes: number,
  ) => Demonstrator | Promise<Demonstrator>;
};

/**
 * Tasks that somebody sets: a verifier computes their answers, so that nobody's word is taken for it. The
 * reference names the environment that a proposal is about.
 */
export type TaskProposals = {
  /** A proposer is right where it can show its task to be one that can be solved. */
  readonly proposer: EnvironmentSpec;
  /** The environment whose every task is the proposed one; `null` where the text is none. */
  readonly solver: (text: string, reference: TaskReference) => EnvironmentSpec | null;
};

/** References whose seed modulo the levels is their level. */
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
