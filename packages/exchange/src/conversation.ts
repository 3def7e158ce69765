/**
 * A conversation as text: what importers give, what text exporters write, and what `toSupervisedSample`
 * turns into tokens to learn from. Not a trajectory: it has no tokens, no policy and no log-probs, so
 * nothing off-policy can be computed from it.
 */
import { ToolCall, ToolResult, type ToolDefinition } from "@waggle/protocol";
import { z } from "zod";

/** One turn of the assistant and what answered it. */
export type ConversationTurn = {
  /** Outside the tool calls. */
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  /** One per call, in the order of the calls; empty where the conversation ended with the calls. */
  readonly toolResults: readonly ToolResult[];
  /** What the user said next. */
  readonly userMessage?: string | undefined;
  /** False where the turn is context only. Default true. */
  readonly isTarget?: boolean | undefined;
};

export type Conversation = {
  readonly schemaVersion: 1;
  readonly id: string;
  /** Empty = none. */
  readonly system: string;
  readonly tools: readonly ToolDefinition[];
  readonly userMessage: string;
  /** At least one. */
  readonly turns: readonly ConversationTurn[];
  /** Whether it was wanted: the better of a pair, a thumb, a verifier's success. */
  readonly label: boolean | null;
  /** Names the pair of a preference: its two conversations answer the same prompt. */
  readonly pair: string | null;
};

export const Conversation: z.ZodType<Conversation> = z.strictObject({
  schemaVersion: z.literal(1),
  id: z.string().min(1),
  system: z.string(),
  tools: z.array(
    z.strictObject({
      name: z.string().min(1),
      description: z.string(),
      parameters: z.record(z.string(), z.unknown()),
      source: z.enum(["page", "edge"]),
    }),
  ),
  userMessage: z.string(),
  turns: z
    .array(
      z.strictObject({
        text: z.string(),
        toolCalls: z.array(ToolCall),
        toolResults: z.array(ToolResult),
        userMessage: z.string().optional(),
        isTarget: z.boolean().optional(),
      }),
    )
    .min(1),
  label: z.boolean().nullable(),
  pair: z.string().nullable(),
});

/** Why one entry of a file could not be taken: a stable word, for counting. */
export type Refusal = { readonly refused: string };

export function isRefusal(value: object): value is Refusal {
  return "refused" in value;
}
