/** Creates a `Chat` from a stream of chunks, including answers without streaming. */
import type {
  Chat,
  ChatChoice,
  ChatCompletion,
  ChatCompletionChunk,
  ChatRequest,
} from "./chat-types.ts";
import { createMessageFolder } from "./message-folder.ts";
import type { MessageFolder } from "./message-folder.ts";
import { checkRequest } from "./request-checks.ts";

/** What an implementation of a chat provides. */
export type ChatBackend = Pick<Chat, "contextLength" | "countTokens" | "dispose"> & {
  /**
   * Streams the answer. Must refuse invalid requests before the first chunk, and end with a usage
   * chunk if requested.
   */
  stream(
    request: ChatRequest,
    signal: AbortSignal | undefined,
  ): Promise<AsyncIterable<ChatCompletionChunk>>;
  /** The whole answer, if it differs from the folded stream. */
  complete?(request: ChatRequest, signal: AbortSignal | undefined): Promise<ChatCompletion>;
};

/** Checks requests and offers answers with and without streaming. */
export function defineChat(backend: ChatBackend): Chat {
  const create = async (
    request: ChatRequest,
    options: { readonly signal?: AbortSignal | null | undefined } = {},
  ): Promise<ChatCompletion | AsyncIterable<ChatCompletionChunk>> => {
    checkRequest(request);
    const signal = options.signal ?? undefined;
    signal?.throwIfAborted();
    if (request.stream === true) return backend.stream(request, signal);
    if (backend.complete !== undefined) return backend.complete(request, signal);
    const withUsage = { ...request, stream_options: { include_usage: true } };
    return foldChunks(await backend.stream(withUsage, signal));
  };
  return {
    // The overloads express what `stream` decides.
    completions: { create: create as Chat["completions"]["create"] },
    countTokens: backend.countTokens,
    contextLength: backend.contextLength,
    dispose: backend.dispose,
  };
}

/** The answer that a stream of chunks describes. */
export async function foldChunks(
  chunks: AsyncIterable<ChatCompletionChunk>,
): Promise<ChatCompletion> {
  const folders: MessageFolder[] = [];
  const choices: Omit<ChatChoice, "message">[] = [];
  const answer: ChatCompletion = {
    id: "",
    object: "chat.completion",
    created: 0,
    model: "",
    choices: [],
  };
  for await (const chunk of chunks) {
    const { id, created, model, system_fingerprint, usage, timings } = chunk;
    Object.assign(answer, { id, created, model });
    if (system_fingerprint !== undefined) answer.system_fingerprint = system_fingerprint;
    if (usage) answer.usage = usage;
    if (timings !== undefined) answer.timings = timings;
    for (const { index, delta, finish_reason, logprobs, record } of chunk.choices) {
      (folders[index] ??= createMessageFolder()).push(delta);
      const choice = (choices[index] ??= { index, finish_reason: "stop", logprobs: null });
      if (finish_reason !== null) choice.finish_reason = finish_reason;
      if (logprobs?.content) {
        choice.logprobs ??= { content: [], refusal: null };
        choice.logprobs.content?.push(...logprobs.content);
      }
      if (record !== undefined) choice.record = record;
    }
  }
  answer.choices = choices.map((choice, index) => {
    const isUnread = choice.record?.learnable === true && choice.record.parse_error !== null;
    return { ...choice, message: (folders[index] as MessageFolder).message(!isUnread) };
  });
  return answer;
}
