/**
 * A conversation as text: the common form that importers produce, text exporters write, and
 * `toSupervisedSample` turns into tokens to imitate. Unlike a trajectory it has no tokens, policy or log-probs,
 * so it cannot be used for importance weights.
 */
import { ToolCall, ToolResult, type ToolDefinition } from "@waggle/protocol";
import { z } from "zod";

/** One assistant turn and what answers it. */
export type ConversationTurn = {
  /** Text outside the tool calls. */
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  /** One per call, in the order of the calls. Empty if the conversation ends with the calls. */
  readonly toolResults: readonly ToolResult[];
  /** The user's next message. */
  readonly userMessage?: string | undefined;
  /** False if the turn is context only. Default true. */
  readonly isTarget?: boolean | undefined;
};

/** A whole conversation. */
export type Conversation = {
  readonly schemaVersion: 1;
  readonly id: string;
  /** Empty if there is none. */
  readonly system: string;
  readonly tools: readonly ToolDefinition[];
  readonly userMessage: string;
  /** At least one. */
  readonly turns: readonly ConversationTurn[];
  /** Whether it is a good example: the better one of a pair, a thumb, or the verifier's success. */
  readonly label: boolean | null;
  /** Id of a preference pair. Its two conversations answer the same prompt. */
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

/** A stable reason why an entry of a file was refused, for counting. */
export type Refusal = { readonly refused: string };

/** Narrows a result to a refusal. */
export function isRefusal(value: object): value is Refusal {
  return "refused" in value;
}
