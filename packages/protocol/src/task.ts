/** One problem instance and the environment it is solved in. */
import { z } from "zod";
import type { ToolCall, ToolDefinition, ToolResult } from "./tool.ts";

export type TaskSplit = "train" | "heldOut";

/** Names a task; the environment rebuilds everything else from the seed. */
export type TaskReference = {
  readonly environment: string;
  /** Unsigned 32-bit integer. */
  readonly seed: number;
  readonly split: TaskSplit;
};

export const TaskReference: z.ZodType<TaskReference> = z.strictObject({
  environment: z.string().min(1).max(64),
  seed: z.int().min(0).max(0xffff_ffff),
  split: z.enum(["train", "heldOut"]),
});

/** A problem instance: the reference plus what the policy is told. */
export type Task = TaskReference & {
  /** Family of the task, for reports: `add-cheapest`, `price-in-currency`, … */
  readonly family: string;
  /** Name of the request template it was rendered from. */
  readonly template: string;
  readonly system: string;
  readonly request: string;
};

/** What the policy did in one turn. */
export type Action = {
  /** Text outside the tool calls. */
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
};

/** What answers an action. */
export type Observation = {
  /** One result per call, in the order of the calls. */
  readonly toolResults: readonly ToolResult[];
  /** The next user message, where the user (real or simulated) speaks. */
  readonly userMessage?: string;
  /** True when the task has ended by itself. A limit is not a termination. */
  readonly terminated: boolean;
};

/** How an environment begins. */
export type FirstObservation = {
  readonly system: string;
  readonly tools: readonly ToolDefinition[];
  readonly userMessage: string;
};

/** Stateful and single-use: there is no reset. */
export interface Environment {
  /** The assigned task, `null` for a live visitor's own request. */
  readonly task: TaskReference | null;
  /** Called once, first. */
  observe(): Promise<FirstObservation>;
  /** Runs one turn. A model's mistake comes back as a failed result, never as a throw. */
  step(action: Action, signal: AbortSignal): Promise<Observation>;
}

/** What a verifier says. Where it cannot judge it throws `REWARD_UNAVAILABLE`; it never says 0. */
export type Verification = {
  /** In [0, 1]. */
  readonly reward: number;
  readonly success: boolean;
  /** Named parts of the judgement, for people. */
  readonly parts: { readonly [name: string]: number | string | boolean };
};
