/** Tasks, the environments they are solved in, and their verification. */
import { z } from "zod";
import { readOnly } from "./read-only-schema.ts";
import type { ToolCall, ToolDefinition, ToolResult } from "./tool.ts";

/** Identifies a task. The environment rebuilds everything else from the seed. */
export type TaskReference = z.infer<typeof TaskReference>;
export const TaskReference = readOnly(
  z.strictObject({
    environment: z.string().min(1).max(64),
    /** Unsigned 32-bit integer. */
    seed: z.int().min(0).max(0xffff_ffff),
    /** Held-out tasks are never trained on. */
    split: z.enum(["train", "heldOut"]),
  }),
);

/** Which tasks a policy may be trained on. */
export type TaskSplit = TaskReference["split"];

/** A problem instance: its reference and what the policy is told. */
export type Task = TaskReference & {
  /** Kind of task, for reports: `add-cheapest`, `price-in-currency`, … */
  readonly kind: string;
  /** Name of the template that the request was rendered from. */
  readonly template: string;
  /** Values that fill the template's slots. Absent = the environment does not name them. */
  readonly values?: readonly string[];
  readonly system: string;
  readonly request: string;
};

/** What the policy did in one turn. */
export type Action = {
  /** Text outside the tool calls. */
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  /** How sure the policy was of this turn, from 0 to 1: its probability at temperature 1. Absent = unknown. */
  readonly confidence?: number;
};

/** The environment's answer to an action. */
export type Observation = {
  /** One result per call, in the order of the calls. */
  readonly toolResults: readonly ToolResult[];
  /** The next user message, if the (real or simulated) user says something. */
  readonly userMessage?: string;
  /** True when the task itself has ended. Reaching a limit is not termination. */
  readonly terminated: boolean;
};

/** How an environment begins. */
export type FirstObservation = {
  readonly system: string;
  readonly tools: readonly ToolDefinition[];
  readonly userMessage: string;
};

/** An environment for one task. Stateful and single-use: there is no reset. */
export interface Environment {
  /** The assigned task; `null` for a live visitor's own request. */
  readonly task: TaskReference | null;
  /** Must be called once, before `step`. */
  observe(): Promise<FirstObservation>;
  /** Runs one turn. A model's mistake is returned as a failed tool result and never thrown. */
  step(action: Action, signal: AbortSignal): Promise<Observation>;
}

/**
 * What an environment has and a recipe can need, because its idea has no effect elsewhere. `several-calls`: no
 * single tool call gives the answer. `long-path`: many steps to the only reward. `turn-rewards`: single turns
 * are rewarded. `search`: documents to search. `user`: a person who answers questions. `memory`: facts that the
 * policy stores and changes. `opinions`: wrong answers that people like. `cases`: past cases that the base was
 * taught to read.
 */
export type EnvironmentFeature =
  | "several-calls"
  | "long-path"
  | "turn-rewards"
  | "search"
  | "user"
  | "memory"
  | "opinions"
  | "cases";

/** A verifier's verdict. A verifier that cannot judge throws `REWARD_UNAVAILABLE` instead of returning 0. */
export type Verification = {
  /** In [0, 1]. */
  readonly reward: number;
  readonly success: boolean;
  /** Named components of the verdict, for people to read. */
  readonly parts: { readonly [name: string]: number | string | boolean };
  /** Share of each signal in the reward, by `SignalName`; they sum to 1. Absent if a verifier judged. */
  readonly signals?: { readonly [signal: string]: number };
  /**
   * `[turns]` reward of each turn by the feedback that is about it; `null` for a turn that none is about. Absent if all of it
   * is about the whole trajectory.
   */
  readonly turns?: readonly (number | null)[];
  /** Weight of the trajectory in the loss, above 0. Absent = 1. */
  readonly weight?: number;
};
