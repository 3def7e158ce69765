/**
 * A conversation as text: the common form that importers produce, text exporters write, and
 * `toSupervisedSample` turns into tokens to imitate. Unlike a trajectory it has no tokens, policy or log-probs,
 * so it cannot be used for importance weights.
 */
import { readOnly, ToolCall, type ToolDefinition, ToolResult } from "@waggle/protocol";
import { z } from "zod";

/** One assistant turn and what answers it. */
export type ConversationTurn = z.infer<typeof ConversationTurn>;
const ConversationTurn = readOnly(
  z.strictObject({
    /** Text outside the tool calls. */
    text: z.string(),
    toolCalls: z.array(ToolCall),
    /** One per call, in the order of the calls. Empty if the conversation ends with the calls. */
    toolResults: z.array(ToolResult),
    /** The user's next message. */
    userMessage: z.string().optional(),
    /** False if the turn is context only. Default true. */
    isTarget: z.boolean().optional(),
  }),
);

/** A whole conversation. */
export type Conversation = z.infer<typeof Conversation>;
export const Conversation = readOnly(
  z.strictObject({
    schemaVersion: z.literal(1),
    id: z.string().min(1),
    /** Empty if there is none. */
    system: z.string(),
    tools: z.array(
      z.strictObject({
        name: z.string().min(1),
        description: z.string(),
        parameters: z.record(z.string(), z.unknown()),
        source: z.enum(["page", "edge"]),
      }) satisfies z.ZodType<ToolDefinition>,
    ),
    userMessage: z.string(),
    turns: z.array(ConversationTurn).min(1),
    /** Whether it is a good example: the better one of a pair, a thumb, or the verifier's success. */
    label: z.boolean().nullable(),
    /** Id of a preference pair. Its two conversations answer the same prompt. */
    pair: z.string().nullable(),
  }),
);

/** A stable reason why an entry of a file was refused, for counting. */
export type Refusal = { readonly refused: string };

/** Narrows a result to a refusal. */
export function isRefusal(value: object): value is Refusal {
  return "refused" in value;
}
