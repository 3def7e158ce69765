/**
 * Answers of other servers in OpenAI's shape. Some write `null` for what they leave out, and Hugging Face's has its
 * own names for the reasons of an end.
 */
import { isObject } from "@waggle/protocol";
import type {
  ChatChoice,
  ChatChunkChoice,
  ChatCompletion,
  ChatFinishReason,
  ChatRecord,
} from "../chat/chat-types.ts";

const FOREIGN: ChatRecord = {
  learnable: false,
  reason: "the server sends no token ids and no log-probs of the sampling distribution",
};

/** OpenAI's names of Hugging Face's reasons. */
const REASONS: { readonly [reason: string]: ChatFinishReason } = {
  eos_token: "stop",
  stop_sequence: "stop",
};

const EMPTY = { role: "assistant", content: null, refusal: null } as const;

/** @throws Error for an answer without choices. */
export function foreignAnswer(answer: unknown): ChatCompletion {
  const choices = isObject(answer) ? answer["choices"] : undefined;
  if (!Array.isArray(choices)) throw new Error("its answer has no choices");
  return {
    ...(answer as ChatCompletion),
    choices: (choices as ChatChoice[]).map((choice) => ({
      ...choice,
      message: { ...EMPTY, ...present(choice.message) },
      finish_reason: reasonOf(choice.finish_reason) ?? "stop",
      record: choice.record ?? FOREIGN,
    })),
  };
}

/** A choice of a chunk. */
export function foreignChoice(choice: ChatChunkChoice): ChatChunkChoice {
  const finish_reason = reasonOf(choice.finish_reason);
  const record = choice.record ?? (finish_reason === null ? undefined : FOREIGN);
  return { ...choice, delta: present(choice.delta), finish_reason, ...(record && { record }) };
}

function reasonOf(reason: ChatFinishReason | null | undefined): ChatFinishReason | null {
  return REASONS[reason ?? ""] ?? reason ?? null;
}

/** Without members that are null. */
function present<T extends object>(value: T | null | undefined): T {
  const members = Object.entries(value ?? {}).filter(([, member]) => member !== null);
  return Object.fromEntries(members) as T;
}
