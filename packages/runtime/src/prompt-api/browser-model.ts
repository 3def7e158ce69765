/**
 * The browser's own model (`LanguageModel`, Chrome's Prompt API) as a chat, with nothing for the
 * page to download. It returns no tokens and no log-probs and takes no seed, so its answers cannot
 * be learned from, and their records say so. No tools: the browser runs them itself, which a chat
 * leaves to its caller.
 */
import { WaggleError } from "@waggle/protocol";
import type { WaggleErrorCode } from "@waggle/protocol";
import type { ChatSource } from "../chat/chat-source.ts";
import type {
  Chat,
  ChatCompletionChunk,
  ChatFinishReason,
  ChatMessage,
  ChatRecord,
  ChatRequest,
} from "../chat/chat-types.ts";
import { defineChat } from "../chat/define-chat.ts";
import { textOf, stopTexts } from "../chat/request-checks.ts";
import { createStopFilter } from "../chat/stop-filter.ts";
import type {
  LanguageModelConstructor,
  LanguageModelCreateCoreOptions,
  LanguageModelCreateOptions,
  LanguageModelMessage,
  LanguageModelPromptOptions,
  LanguageModelSession,
} from "./prompt-api-types.ts";

/** Options of `createBrowserModel`. */
export type BrowserModelOptions = {
  /** Default: the global one. */
  readonly languageModel?: LanguageModelConstructor;
  /** Passed to `create` and `availability`. */
  readonly createOptions?: Pick<
    LanguageModelCreateCoreOptions,
    "expectedInputs" | "expectedOutputs"
  >;
  /** Conversations kept ready to continue. Default 4. */
  readonly maxSessions?: number;
};

/** Error codes by name. Errors with other names may be transient. */
const CODES: { readonly [name: string]: WaggleErrorCode } = {
  QuotaExceededError: "CONTEXT_OVERFLOW",
  NotSupportedError: "CAPABILITY_MISSING",
  NetworkError: "NETWORK",
  InvalidStateError: "DISPOSED",
};

const RECORD: ChatRecord = {
  learnable: false,
  reason: "the browser's model returns no token ids and no log-probs",
};

/** A source of a chat over the browser's model; `unavailable` if the browser has none. */
export function createBrowserModel(options: BrowserModelOptions = {}): ChatSource {
  const found = (): LanguageModelConstructor | undefined =>
    options.languageModel ??
    (globalThis as { LanguageModel?: LanguageModelConstructor }).LanguageModel;
  return {
    async availability() {
      return (await found()?.availability(options.createOptions)) ?? "unavailable";
    },
    async open({ signal, onProgress } = {}) {
      const model = found();
      if (
        model === undefined ||
        (await model.availability(options.createOptions)) === "unavailable"
      ) {
        throw new WaggleError(
          "DEVICE_UNAVAILABLE",
          "the browser has no language model; use another source",
        );
      }
      // Downloads the model if necessary; every conversation starts with a new session.
      const first = await model.create({
        ...options.createOptions,
        ...(signal && { signal }),
        monitor: (monitor) =>
          monitor.addEventListener("downloadprogress", (event) =>
            onProgress?.((event as Event & { readonly loaded: number }).loaded),
          ),
      });
      const chat = new BrowserChat(model, options);
      const { contextWindow } = first;
      first.destroy();
      return chat.asChat(Number.isFinite(contextWindow) ? contextWindow : null);
    },
  };
}

/** How an answer ended, and whether the session remembers exactly the returned text. */
type Ending = { readonly finish: ChatFinishReason; readonly isWhole: boolean };

type Kept = { readonly key: string; readonly session: LanguageModelSession };

class BrowserChat {
  readonly #model: LanguageModelConstructor;
  readonly #options: BrowserModelOptions;
  readonly #closing = new AbortController();
  /** Sessions by their conversation, least recently used first. */
  #kept: Kept[] = [];
  #answers = 0;

  constructor(model: LanguageModelConstructor, options: BrowserModelOptions) {
    this.#model = model;
    this.#options = options;
  }

  asChat(contextLength: number | null): Chat {
    return defineChat({
      contextLength,
      countTokens: () => Promise.resolve(null),
      stream: (request, signal) =>
        Promise.resolve().then(() => {
          assertSupported(request);
          return this.#stream(request, signal);
        }),
      dispose: () => {
        this.#closing.abort(new WaggleError("DISPOSED", "the chat was disposed of"));
        for (const { session } of this.#kept.splice(0)) session.destroy();
        return Promise.resolve();
      },
    });
  }

  async *#stream(
    request: ChatRequest,
    given: AbortSignal | undefined,
  ): AsyncGenerator<ChatCompletionChunk, void> {
    const signal = given ? AbortSignal.any([given, this.#closing.signal]) : this.#closing.signal;
    const head = {
      id: `chatcmpl-browser-${++this.#answers}`,
      object: "chat.completion.chunk" as const,
      created: Math.floor(Date.now() / 1000),
      model: request.model ?? "browser",
    };
    const { before, last } = splitAtAnswer(request.messages);
    const key = keyOf(before);
    let used: number | null = null;
    let spoken = 0;
    for (let index = 0; index < (request.n ?? 1); index++) {
      signal.throwIfAborted();
      const session = await this.#open(before, key, request, signal);
      const start = session.contextUsage + (await session.measureContextUsage(last));
      used ??= start;
      yield {
        ...head,
        choices: [{ index, delta: { role: "assistant", content: "" }, finish_reason: null }],
      };
      let text = "";
      const answer = this.#speak(session, last, request, signal);
      let end: Ending;
      for (;;) {
        const { done, value } = await answer.next();
        if (done === true) {
          end = value;
          break;
        }
        text += value;
        yield { ...head, choices: [{ index, delta: { content: value }, finish_reason: null }] };
      }
      spoken += Math.max(0, session.contextUsage - start);
      if (end.isWhole) this.#keep(conversationAfter(before, last, text), session);
      else session.destroy();
      yield { ...head, choices: [{ index, delta: {}, finish_reason: end.finish, record: RECORD }] };
    }
    if (request.stream_options?.include_usage !== true) return;
    // The browser only counts prompt and answer together.
    const usage = {
      prompt_tokens: used ?? 0,
      completion_tokens: spoken,
      total_tokens: (used ?? 0) + spoken,
    };
    yield { ...head, choices: [], usage };
  }

  async *#speak(
    session: LanguageModelSession,
    last: readonly LanguageModelMessage[],
    request: ChatRequest,
    signal: AbortSignal,
  ): AsyncGenerator<string, Ending> {
    const filter = createStopFilter(stopTexts(request));
    const most = request.max_completion_tokens ?? request.max_tokens ?? Infinity;
    const reader = session.promptStreaming(last, { ...constraintOf(request), signal }).getReader();
    let text = "";
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        const piece = filter.push(value);
        text += piece;
        if (piece !== "") yield piece;
        if (filter.isStopped) return { finish: "stop", isWhole: false };
        if (most < Infinity && (await session.measureContextUsage(text)) >= most) {
          return { finish: "length", isWhole: false };
        }
      }
      const rest = filter.end();
      if (rest !== "") yield rest;
      return { finish: "stop", isWhole: true };
    } catch (error) {
      signal.throwIfAborted();
      throw toWaggleError(error);
    } finally {
      await reader.cancel().catch(() => undefined);
    }
  }

  /** The session with this conversation, or a new one to which it is given. */
  async #open(
    before: readonly LanguageModelMessage[],
    key: string,
    request: ChatRequest,
    signal: AbortSignal,
  ): Promise<LanguageModelSession> {
    const { temperature, top_k: topK } = request;
    const hasOwnSampling = typeof temperature === "number" && typeof topK === "number";
    const kept = hasOwnSampling ? undefined : this.#kept.find((each) => each.key === key);
    try {
      // A copy, so that the conversation can also continue differently.
      if (kept !== undefined) return await kept.session.clone({ signal });
      const options: LanguageModelCreateOptions = {
        ...this.#options.createOptions,
        ...(before.length > 0 && { initialPrompts: before }),
        // The browser takes both or neither.
        ...(hasOwnSampling && { temperature, topK }),
        signal,
      };
      return await this.#model.create(options);
    } catch (error) {
      signal.throwIfAborted();
      throw toWaggleError(error);
    }
  }

  #keep(messages: readonly LanguageModelMessage[], session: LanguageModelSession): void {
    this.#kept.push({ key: keyOf(messages), session });
    const most = this.#options.maxSessions ?? 4;
    for (const old of this.#kept.splice(0, Math.max(0, this.#kept.length - most))) {
      old.session.destroy();
    }
  }
}

/** The conversation after an answer, as the next request will send it. */
function conversationAfter(
  before: readonly LanguageModelMessage[],
  last: readonly LanguageModelMessage[],
  text: string,
): LanguageModelMessage[] {
  return [...before, ...last, { role: "assistant", content: text }];
}

/** @throws WaggleError `CAPABILITY_MISSING` for features that the browser's model does not have. */
function assertSupported(request: ChatRequest): void {
  const asked = [
    (request.tools ?? []).length > 0 && "tools",
    request.logprobs === true && "logprobs",
    (request.top_p ?? 1) < 1 && "top_p",
    request.messages.some((message) => message.role === "tool") && "tool messages",
  ].filter((name) => name !== false);
  if (asked.length === 0) return;
  throw new WaggleError(
    "CAPABILITY_MISSING",
    `the browser's model does not support ${asked.join(", ")}; leave it out or use a model that runs in the page`,
  );
}

function constraintOf(
  request: ChatRequest,
): Pick<LanguageModelPromptOptions, "responseConstraint"> {
  const format = request.response_format ?? { type: "text" };
  switch (format.type) {
    case "text":
      return {};
    case "json_object":
      return { responseConstraint: { type: "object" } };
    case "json_schema":
      return { responseConstraint: format.json_schema.schema ?? {} };
    case "regex":
      return { responseConstraint: new RegExp(format.pattern, "u") };
  }
}

/**
 * Splits into the conversation so far and the messages to be answered: those after the last answer.
 */
function splitAtAnswer(messages: readonly ChatMessage[]): {
  before: LanguageModelMessage[];
  last: LanguageModelMessage[];
} {
  const all = messages.map((message): LanguageModelMessage => {
    const content = textOf(message.content);
    if (message.role === "assistant") {
      return { role: "assistant", content, ...(message.prefix && { prefix: true }) };
    }
    return { role: message.role === "user" ? "user" : "system", content };
  });
  const answered = all.findLastIndex(({ role, prefix }) => role === "assistant" && !prefix);
  const systems = all.findLastIndex(({ role }) => role === "system");
  const at = Math.max(answered, systems) + 1;
  return { before: all.slice(0, at), last: all.slice(at) };
}

function keyOf(messages: readonly LanguageModelMessage[]): string {
  return JSON.stringify(messages.map(({ role, content }) => [role, content]));
}

function toWaggleError(error: unknown): unknown {
  if (!(error instanceof DOMException)) return error;
  return new WaggleError(
    CODES[error.name] ?? "DEVICE_LOST",
    `the browser's model failed with ${error.name}: ${error.message.slice(0, 300)}`,
    { retryable: !(error.name in CODES) || error.name === "NetworkError", cause: error },
  );
}
