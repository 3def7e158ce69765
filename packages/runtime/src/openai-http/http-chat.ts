/**
 * A chat on a server with OpenAI's HTTP API: the fallback where no model runs locally. Its answers
 * can be learned from only if the server is a Waggle server and sends records.
 */
import { isObject, WaggleError } from "@waggle/protocol";
import type { ChatSource } from "../chat/chat-source.ts";
import type { ChatCompletionChunk, ChatRequest } from "../chat/chat-types.ts";
import { defineChat } from "../chat/define-chat.ts";
import { EventDataStream } from "./event-data.ts";
import { foreignAnswer, foreignChoice } from "./foreign-answer.ts";
import { errorOf, networkError, wait, waitBefore } from "./http-errors.ts";

/** Options of `createHttpChat`. */
export type HttpChatOptions = {
  /** Base URL of the API, such as `https://example.com/v1`. */
  readonly baseUrl: string;
  /** Sent with requests that do not name a model. */
  readonly model?: string;
  /** Sent as a bearer token. A page's keys are public: use a server of your own in between. */
  readonly apiKey?: string;
  readonly headers?: { readonly [name: string]: string };
  /** Retries if the server is busy or unreachable. Default 2. */
  readonly retries?: number;
  /**
   * Whether the server supports `top_k`, `regex` and `prefix`, which are not OpenAI's. Default
   * false.
   */
  readonly takesExtensions?: boolean;
  /** Default: the platform's. */
  readonly fetch?: typeof globalThis.fetch;
  /** Waits this many milliseconds. Default: a timer. */
  readonly sleep?: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
};

/** Names of the token limit, newer first. Some servers know only one of them, and OpenAI's refuses both at once. */
const LIMIT_NAMES: readonly string[] = ["max_completion_tokens", "max_tokens"];

/**
 * A source of a chat over HTTP. Always reports `available`, because it only contacts the server on
 * use.
 */
export function createHttpChat(options: HttpChatOptions): ChatSource {
  return {
    availability: () => Promise.resolve("available"),
    open: () => Promise.resolve(openHttpChat(options)),
  };
}

function openHttpChat(options: HttpChatOptions): Awaited<ReturnType<ChatSource["open"]>> {
  const closing = new AbortController();
  const { fetch = globalThis.fetch, sleep = wait, retries = 2 } = options;
  const url = `${options.baseUrl.replace(/\/+$/, "")}/chat/completions`;
  let limits = LIMIT_NAMES;

  const post = async (request: ChatRequest, signal: AbortSignal): Promise<Response> => {
    const asked = bodyOf(request, options);
    const headers = {
      "content-type": "application/json",
      ...(options.apiKey !== undefined && { authorization: `Bearer ${options.apiKey}` }),
      ...options.headers,
    };
    let names = limits;
    const others = limits === LIMIT_NAMES ? LIMIT_NAMES.map((name) => [name]) : [];
    for (let attempt = 0; ; attempt++) {
      let error: WaggleError;
      try {
        const body = JSON.stringify(withLimit(asked, names));
        const response = await fetch(url, { method: "POST", headers, body, signal });
        if (response.ok) {
          limits = names;
          return response;
        }
        error = await errorOf(response);
        const other = refusesLimitName(error) ? others.shift() : undefined;
        if (other !== undefined) {
          names = other;
          attempt -= 1;
          continue;
        }
      } catch (cause) {
        error = networkError(cause, signal);
      }
      signal.throwIfAborted();
      if (!error.retryable || attempt >= retries) throw error;
      await sleep(waitBefore(attempt, error), signal);
      signal.throwIfAborted();
    }
  };

  const both = (signal: AbortSignal | undefined): AbortSignal =>
    signal ? AbortSignal.any([signal, closing.signal]) : closing.signal;

  return defineChat({
    contextLength: null,
    countTokens: () => Promise.resolve(null),
    async stream(request, given) {
      const leaving = new AbortController();
      const signal = AbortSignal.any([both(given), leaving.signal]);
      const response = await post({ ...request, stream: true }, signal);
      return readChunks(response, signal, () => leaving.abort());
    },
    async complete(request, given) {
      const signal = both(given);
      const response = await post({ ...request, stream: false }, signal);
      try {
        return foreignAnswer(await response.json());
      } catch (cause) {
        throw networkError(cause, signal);
      }
    },
    dispose() {
      closing.abort(new WaggleError("DISPOSED", "the chat was disposed of"));
      return Promise.resolve();
    },
  });
}

async function* readChunks(
  response: Response,
  signal: AbortSignal,
  leave: () => void,
): AsyncGenerator<ChatCompletionChunk, void> {
  if (response.body === null) throw networkError(new Error("no body"), signal);
  const events = response.body
    // The platform's type accepts text from any kind of buffer.
    .pipeThrough(new TextDecoderStream() as unknown as TransformStream<Uint8Array, string>)
    .pipeThrough(new EventDataStream());
  let isDone = false;
  const isFinished = new Map<number, boolean>();
  try {
    for await (const data of events) {
      if (data === "[DONE]") {
        isDone = true;
        return;
      }
      const chunk = JSON.parse(data) as Partial<ChatCompletionChunk> & { error?: unknown };
      if ((chunk.error ?? null) !== null) throw new Error(errorText(chunk.error));
      // Some servers send the usage without choices.
      const choices = (chunk.choices ?? []).map(foreignChoice);
      for (const { index, finish_reason } of choices) {
        isFinished.set(index, isFinished.get(index) === true || finish_reason !== null);
      }
      yield { ...(chunk as ChatCompletionChunk), choices };
    }
    // Some servers, such as Hugging Face's, send no [DONE].
    isDone = isFinished.size > 0 && [...isFinished.values()].every(Boolean);
    if (!isDone) throw new Error("the stream ended before the answer did");
  } catch (cause) {
    throw networkError(cause, signal);
  } finally {
    if (!isDone) leave();
  }
}

/** The request with its token limit under these names. */
function withLimit(body: ChatRequest, names: readonly string[]): object {
  const { max_tokens: older, max_completion_tokens: newer, ...rest } = body;
  const limit = newer ?? older ?? null;
  if (limit === null) return rest;
  return { ...rest, ...Object.fromEntries(names.map((name) => [name, limit])) };
}

/** Whether the server refuses a name of the token limit. It does not if the limit is too large. */
function refusesLimitName({ code, message }: WaggleError): boolean {
  const isRefused =
    /both|same time|together|(not|un)[ -]?(supported|permitted)|un(known|expected|recognized)|extra/i;
  return (
    code === "INVALID_ARGUMENT" &&
    /max_(completion_)?tokens/.test(message) &&
    isRefused.test(message)
  );
}

/** OpenAI's `{message}`, or a text, as in Hugging Face's server. */
function errorText(error: unknown): string {
  const message = isObject(error) ? error["message"] : error;
  return typeof message === "string" ? message : JSON.stringify(error);
}

/** @throws WaggleError `CAPABILITY_MISSING` for extensions that the server does not support. */
function bodyOf(request: ChatRequest, options: HttpChatOptions): ChatRequest {
  const { top_k, ...rest } = request;
  const model = request.model ?? options.model;
  const body = model === undefined ? rest : { ...rest, model };
  if (options.takesExtensions === true) return { ...body, ...(top_k !== undefined && { top_k }) };
  const asked = [
    (top_k ?? 0) > 0 && "top_k",
    request.response_format?.type === "regex" && "response_format regex",
    request.messages.some((message) => "prefix" in message && message.prefix) && "prefix",
  ].filter((name) => name !== false);
  if (asked.length === 0) return body;
  throw new WaggleError(
    "CAPABILITY_MISSING",
    `this server does not support ${asked.join(", ")}; leave it out, or set takesExtensions`,
  );
}
