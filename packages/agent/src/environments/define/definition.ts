/** What an author writes to define an environment. Types only. */
import type { RandomSource, TaskSplit, ToolResult } from "@waggle/protocol";
import type { ArgumentsOf } from "../../tools/argument-schema.ts";
import type { ToolSchemas } from "../../tools/define-tools.ts";

/** Source of a task. The same seed, split and level must give the same task. */
export type TaskDraw = {
  /** Unsigned 32-bit integer. */
  readonly seed: number;
  readonly split: TaskSplit;
  /** From 0 (easiest) to `levels` − 1. */
  readonly level: number;
  /** Numbers in [0, 1) that depend on the task only. */
  readonly random: RandomSource;
  /** Draws one entry of a non-empty list with `random`. */
  readonly pick: <T>(list: readonly T[]) => T;
  /** The entries of a list that only tasks of this split may use: one in four is held out, by a hash. */
  readonly ofSplit: <T extends string | number>(list: readonly T[]) => T[];
};

/** A task as `tasks` returns it. */
export type DefinedTask<S, D> = {
  /** The user's first message. */
  readonly request: string;
  /** Where the tools begin: plain data, copied for each rollout. Tools change it. */
  readonly state: S;
  /** What `verify` and `demonstrate` need to know, such as the answer. Tools and the model never see it. */
  readonly data: D;
  /** Kind of task, for reports. Default: the environment's name. */
  readonly kind?: string;
  /** The wording or the type of the task. Reports show success on patterns that training does not have. */
  readonly pattern?: string;
  /** The values that fill the slots of the request: names, numbers, codes. All tasks name some, or none does. */
  readonly values?: readonly (string | number)[];
};

/** A drawn task, as the other functions of a definition get it. */
export type DrawnTask<D> = TaskDraw & { readonly request: string; readonly data: D };

/** A call of a tool: its name and its arguments. */
export type DefinedCall<N extends string = string> = readonly [
  tool: N,
  args?: { readonly [name: string]: unknown },
];

/** A turn: a text without calls, one call, or several calls. */
export type DefinedTurn<N extends string = string> =
  | string
  | DefinedCall<N>
  | readonly DefinedCall<N>[];

/** What followed a turn. */
export type SeenResult = {
  /** One per call. */
  readonly results: readonly ToolResult[];
  /** The value of the first result; `null` if it failed or there was none. */
  // oxlint-disable-next-line typescript/no-explicit-any -- authors know what their own tools return
  readonly value: any;
  /** What the simulated user said, if anything. */
  readonly userMessage: string | undefined;
};

/**
 * The turns of a rollout in order: a list, or a generator that gets a `SeenResult` after each turn. Its type is `any`,
 * because TypeScript otherwise intersects the types of all variables that a generator assigns results to.
 */
export type DefinedTurns<N extends string = string> = Iterable<
  DefinedTurn<N>,
  unknown,
  // oxlint-disable-next-line typescript/no-explicit-any -- a generator assigns results to variables of several types
  any
>;

/** The end of a rollout. */
type DefinedEnd<S, D> = {
  readonly state: S;
  /** The last turn's text; `null` if a limit cut the rollout before it answered. */
  readonly text: string | null;
  readonly data: D;
  readonly task: DrawnTask<D>;
};

/** Whether a rollout succeeded. With a reward in [0, 1] for partial success, and reasons for people to read. */
type DefinedVerdict =
  | boolean
  | {
      readonly success: boolean;
      /** Default: 1 for a success, otherwise 0. */
      readonly reward?: number;
      readonly reasons?: readonly string[];
      /**
       * Whether the answer agrees with what the request states, for the gate's probe of flattery. Report it for every answer
       * to such a request, right or wrong. Absent: the request states nothing.
       */
      readonly agreed?: boolean | undefined;
    };

/** The tools by name. */
type DefinedTools<T, S> = {
  readonly [K in keyof T]: {
    /** One sentence that tells the model what the tool does. */
    readonly description: string;
    /** JSON Schema, or a schema of zod, valibot or ArkType. Calls that do not match it fail without `run`. */
    readonly parameters: T[K];
    /** Changes the state and returns a JSON value. May be async. An exception is a failed result. */
    readonly run: (args: ArgumentsOf<T[K]>, state: S) => unknown;
    /** Time limit of `run` in milliseconds. Default 5000. It does not stop code that never awaits. */
    readonly timeoutMs?: number;
  };
};

/**
 * An environment as its author writes it. `tasks` comes before `tools`, because TypeScript infers the type of the
 * state from it.
 */
export type EnvironmentDefinition<S, D, T extends ToolSchemas> = {
  /** Lower-case letters, digits and hyphens; at most 63 characters. Names tasks, base models and runs. */
  readonly name: string;
  /** The system message. */
  readonly prompt: string;
  /** Draws a task. */
  readonly tasks: (draw: TaskDraw) => DefinedTask<S, D>;
  /**
   * `automatic`: a task belongs to a split by its `values`, all of which must be of that split, or by its request if
   * it names none. It is drawn again until it fits; one value or request in four is held out. `own`: `tasks` decides
   * by its `split`. Default `automatic`.
   */
  readonly splits?: "automatic" | "own";
  /** Number of difficulty levels. Default 1. */
  readonly levels?: number;
  readonly tools: DefinedTools<T, S>;
  /** Judges the end of a rollout. May be async. */
  readonly verify: (end: DefinedEnd<S, D>) => DefinedVerdict | Promise<DefinedVerdict>;
  /** Replies to a text without calls, or ends the task with `null`. Default: the first such text ends it. */
  readonly user?: (turn: {
    readonly text: string;
    readonly state: S;
    readonly data: D;
  }) => string | null;
  /** Solves the task. Needed for a base model and for recipes that learn from demonstrations. */
  readonly demonstrate?: (task: DrawnTask<D>) => DefinedTurns<keyof T & string>;
  /**
   * A wrong turn in place of this one, for the mistakes of a base model's demonstrations. Default: what
   * `demonstrate` would do in another task.
   */
  readonly mistake?: (
    turn: DefinedTurn<keyof T & string>,
    task: DrawnTask<D>,
  ) => DefinedTurn<keyof T & string>;
  /** Turns that must succeed. Default: those of `demonstrate`. */
  readonly gold?: (task: DrawnTask<D>) => DefinedTurns<keyof T & string>;
  /** Lists of turns that nearly succeed and must fail. */
  readonly nearMiss?: (task: DrawnTask<D>) => readonly DefinedTurns<keyof T & string>[];
  /** Turn limit of a rollout. Default 8. */
  readonly maxTurns?: number;
  /** Token limit of a turn. Default 96. */
  readonly maxTurnTokens?: number;
  /** Context length in tokens that a base model must have. Default 512. */
  readonly contextLength?: number;
};
