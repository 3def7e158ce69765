/** OpenAI's `POST /completions` over a chat: the prompt is the message of a user, and the answer is the text. */
import { WaggleError } from "@waggle/protocol";
import type { ChatCompletion, ChatCompletionChunk, ChatFinishReason } from "../chat/chat-types.ts";

type Fields = { readonly [name: string]: unknown };

/** OpenAI's default. */
const MAX_TOKENS = 16;

/** Values that have no effect, of parameters that are not supported. */
const NEUTRAL: { readonly [name: string]: unknown } = {
  suffix: "",
  echo: false,
  best_of: 1,
  logprobs: null,
};

/**
 * The request for a chat.
 *
 * @throws WaggleError `INVALID_ARGUMENT` without a prompt; `CAPABILITY_MISSING` for several prompts, token ids,
 *   and parameters that a chat does not have.
 */
export function chatRequestOf(body: Fields): Fields {
  const { prompt, max_tokens: maxTokens, ...rest } = body;
  for (const [name, neutral] of Object.entries(NEUTRAL)) {
    if ((rest[name] ?? neutral) === neutral) continue;
    throw new WaggleError("CAPABILITY_MISSING", `${name} is not supported; leave it out`);
  }
  return {
    ...Object.fromEntries(Object.entries(rest).filter(([name]) => !Object.hasOwn(NEUTRAL, name))),
    messages: [{ role: "user", content: textOf(prompt) }],
    max_tokens: maxTokens ?? MAX_TOKENS,
  };
}

function textOf(prompt: unknown): string {
  const prompts = Array.isArray(prompt) ? (prompt as unknown[]) : [prompt];
  const [text] = prompts;
  if (prompts.length === 1 && typeof text === "string") return text;
  if (Array.isArray(prompt) && prompt.length > 0) {
    throw new WaggleError(
      "CAPABILITY_MISSING",
      "several prompts and token ids are not supported; send one text",
    );
  }
  throw new WaggleError("INVALID_ARGUMENT", "a completion needs a prompt; send a text");
}

/** The answer as a text completion. */
export function textCompletion({ choices, ...answer }: ChatCompletion): object {
  return {
    ...answer,
    object: "text_completion",
    choices: choices.map(({ index, message, finish_reason }) =>
      textChoice(index, message.content, finish_reason),
    ),
  };
}

/** As `textCompletion`, for a piece of the answer. */
export function textChunk({ choices, ...chunk }: ChatCompletionChunk): object {
  return {
    ...chunk,
    object: "text_completion",
    choices: choices.map(({ index, delta, finish_reason }) =>
      textChoice(index, delta.content ?? null, finish_reason),
    ),
  };
}

function textChoice(index: number, text: string | null, finish: ChatFinishReason | null): object {
  return { index, text: text ?? "", logprobs: null, finish_reason: finish };
}
