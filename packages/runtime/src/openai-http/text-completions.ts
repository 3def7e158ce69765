/** OpenAI's `POST /completions` over a chat: each prompt is the message of a user, and its answer is the text. */
import type {
  ChatCompletion,
  ChatCompletionChunk,
  ChatFinishReason,
  ChatUsage,
} from "../chat/chat-types.ts";
import { requestError } from "../chat/request-error.ts";

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
 * The requests for a chat, one for each prompt.
 *
 * @throws WaggleError `INVALID_ARGUMENT` without a prompt; `CAPABILITY_MISSING` for token ids, a stream of several
 *   prompts, and parameters that a chat does not have.
 */
export function chatRequestsOf(body: Fields): Fields[] {
  const { prompt, max_tokens: maxTokens, ...rest } = body;
  for (const [name, neutral] of Object.entries(NEUTRAL)) {
    if ((rest[name] ?? neutral) === neutral) continue;
    throw requestError("CAPABILITY_MISSING", name, "is not supported; leave it out");
  }
  const shared = Object.entries(rest).filter(([name]) => !Object.hasOwn(NEUTRAL, name));
  const texts = textsOf(prompt);
  if (texts.length > 1 && rest["stream"] === true) {
    throw requestError(
      "CAPABILITY_MISSING",
      "stream",
      "does not take several prompts; send one, or leave stream out",
    );
  }
  return texts.map((text) => ({
    ...Object.fromEntries(shared),
    messages: [{ role: "user", content: text }],
    max_tokens: maxTokens ?? MAX_TOKENS,
  }));
}

function textsOf(prompt: unknown): string[] {
  const prompts: unknown[] = [prompt].flat();
  if (prompts.length > 0 && prompts.every((text) => typeof text === "string")) return prompts;
  if (Array.isArray(prompt) && prompt.length > 0) {
    throw requestError(
      "CAPABILITY_MISSING",
      "prompt",
      "has token ids, which are not supported; send texts",
    );
  }
  throw requestError("INVALID_ARGUMENT", "prompt", "is missing; send a text");
}

/** The answers to all prompts as one text completion, with their choices in order. */
export function textCompletion(answers: readonly ChatCompletion[]): object {
  const choices = answers.flatMap((answer) => answer.choices);
  return {
    ...answers[0],
    object: "text_completion",
    choices: choices.map(({ message, finish_reason }, index) =>
      textChoice(index, message.content, finish_reason),
    ),
    usage: answers.map(({ usage }) => usage).reduce(sumUsage),
  };
}

function sumUsage(a: ChatUsage | undefined, b: ChatUsage | undefined): ChatUsage | undefined {
  if (a === undefined || b === undefined) return undefined;
  return {
    prompt_tokens: a.prompt_tokens + b.prompt_tokens,
    completion_tokens: a.completion_tokens + b.completion_tokens,
    total_tokens: a.total_tokens + b.total_tokens,
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
