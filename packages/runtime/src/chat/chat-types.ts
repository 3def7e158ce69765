/**
 * Requests and answers in the shape of OpenAI's chat completions, plus what a local model can add:
 * ids, log-probs, timings, a fingerprint. Text only; no images, audio or hosted tools.
 */
import type { JsonSchema } from "@waggle/protocol";

/** A text part of a message's content. */
export type ChatTextPart = { readonly type: "text"; readonly text: string };

/** A part of an assistant's message in which the model refused. It is read as text. */
type ChatRefusalPart = { readonly type: "refusal"; readonly refusal: string };

/** A call of a function, as the model made it. */
export type ChatToolCall = {
  id: string;
  type: "function";
  function: {
    name: string;
    /** JSON text. */
    arguments: string;
  };
};

/** An earlier or unfinished answer of the model. */
export type ChatAssistantMessage = {
  readonly role: "assistant";
  readonly content?: string | (ChatTextPart | ChatRefusalPart)[] | null;
  /** Read as text if there is no content. */
  readonly refusal?: string | null;
  readonly tool_calls?: ChatToolCall[];
  /** On the last message: continue this text instead of starting a turn. Not OpenAI's. */
  readonly prefix?: boolean;
};

/** A message of a request. */
export type ChatMessage =
  | { readonly role: "system" | "developer"; readonly content: string | ChatTextPart[] }
  | { readonly role: "user"; readonly content: string | ChatTextPart[] }
  | ChatAssistantMessage
  | {
      readonly role: "tool";
      readonly content: string | ChatTextPart[];
      readonly tool_call_id: string;
    };

/** A function that the model can call. */
export type ChatTool = {
  readonly type: "function";
  readonly function: {
    readonly name: string;
    readonly description?: string;
    readonly parameters?: { [key: string]: unknown };
    readonly strict?: boolean | null;
  };
};

/** Whether, or which, tools must be called. */
export type ChatToolChoice =
  | "none"
  | "auto"
  | "required"
  | { readonly type: "function"; readonly function: { readonly name: string } };

/** The form that the answer must have. */
export type ChatResponseFormat =
  | { readonly type: "text" }
  | { readonly type: "json_object" }
  | {
      readonly type: "json_schema";
      readonly json_schema: {
        readonly name: string;
        readonly description?: string;
        readonly schema?: { [key: string]: unknown };
        readonly strict?: boolean | null;
      };
    }
  /** The whole text must match. Not OpenAI's. */
  | { readonly type: "regex"; readonly pattern: string };

/** A chat completion request. */
export type ChatRequest = {
  /** Echoed in the answer; a chat has one model. Required by HTTP servers. */
  readonly model?: string;
  readonly messages: ChatMessage[];
  readonly stream?: boolean | null;
  readonly stream_options?: { readonly include_usage?: boolean } | null;
  readonly tools?: ChatTool[];
  /** Default: `auto` with tools. */
  readonly tool_choice?: ChatToolChoice;
  /** Default true. */
  readonly parallel_tool_calls?: boolean;
  /** With tools, an answer without calls has this form. */
  readonly response_format?: ChatResponseFormat;
  /**
   * Log-probs of the sampled tokens at temperature 1, full vocabulary. In a stream: on the last
   * chunk.
   */
  readonly logprobs?: boolean | null;
  /** Must be 0, because alternatives are not kept. */
  readonly top_logprobs?: number | null;
  /** Number of answers to the same messages, which are read once. Default 1. */
  readonly n?: number | null;
  /** Choice i has seed + i. Default: random, and stored in the record. */
  readonly seed?: number | null;
  /** Texts that end the answer and are not part of it; at most 16. */
  readonly stop?: string | string[] | null;
  readonly max_tokens?: number | null;
  /** Takes precedence over `max_tokens`. Default: what fits the context. */
  readonly max_completion_tokens?: number | null;
  /** Default 1; 0 is greedy. */
  readonly temperature?: number | null;
  /** Default 1. */
  readonly top_p?: number | null;
  /** Keep the k most likely tokens; 0 keeps all, the default. Not OpenAI's. */
  readonly top_k?: number | null;
};

/**
 * A request without extensions. The overloads for it let a function that is typed for OpenAI's client take a `Chat`.
 * Images, audio and custom tools, which OpenAI's type also allows, are refused when they are sent.
 */
type PlainChatRequest = Omit<ChatRequest, "model" | "response_format"> & {
  readonly model: string;
  readonly response_format?: Exclude<ChatResponseFormat, { readonly type: "regex" }>;
};

/** Options of `create` besides the request. */
export type ChatRequestOptions = { readonly signal?: AbortSignal | null | undefined };

/** One token with its log-prob, in nats. */
export type ChatTokenLogprob = {
  token: string;
  /** UTF-8 of the token, `null` for part of a character. */
  bytes: number[] | null;
  logprob: number;
  top_logprobs: never[];
};

/** Log-probs of a choice's tokens. */
export type ChatLogprobs = { content: ChatTokenLogprob[] | null; refusal: null };

/** Why a choice ended. */
export type ChatFinishReason =
  | "stop"
  | "length"
  | "tool_calls"
  | "content_filter"
  | "function_call";

/** What learning needs from one choice, or why it cannot be learned from. Log-probs in nats. */
export type ChatRecord =
  | {
      learnable: true;
      prompt_token_ids: number[];
      /** Sampled tokens, including the stop token. */
      token_ids: number[];
      raw_logprobs: number[];
      behavior_logprobs: number[];
      entropies: number[];
      /** Per token the ids that could be sampled, `null` for all; absent with full support. */
      kept_token_ids?: (readonly number[] | null)[];
      /** Id of the grammar that masked tokens. */
      grammar: string | null;
      sampling: { temperature: number; top_k: number; top_p: number; seed: number };
      base_model: string;
      policy_version: number;
      fingerprint: string;
      stop_reason: "stop-token" | "stop-text" | "max-tokens" | "context-overflow";
      /** Why tool calls could not be parsed. They then remain part of the text. */
      parse_error: string | null;
    }
  | { learnable: false; reason: string };

/** Milliseconds and tokens per second, with llama-server's names. */
export type ChatTimings = {
  /** Prompt tokens that were already read. */
  cache_n: number;
  prompt_n: number;
  /** Time to the first token. */
  prompt_ms: number;
  prompt_per_second: number;
  predicted_n: number;
  predicted_ms: number;
  predicted_per_second: number;
};

/** Token counts of a request. */
export type ChatUsage = {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  /** Tokens of the prompt that an earlier request had read. */
  prompt_tokens_details?: { cached_tokens?: number };
};

/** The message of an answer. */
export type ChatCompletionMessage = {
  role: "assistant";
  content: string | null;
  refusal: null;
  /** The model's thoughts before the answer. Not OpenAI's. */
  reasoning_content?: string;
  tool_calls?: ChatToolCall[];
};

/** One of the answers to a request. */
export type ChatChoice = {
  index: number;
  finish_reason: ChatFinishReason;
  logprobs: ChatLogprobs | null;
  message: ChatCompletionMessage;
  /** Absent in answers of other servers. */
  record?: ChatRecord;
};

/** A complete answer. */
export type ChatCompletion = {
  id: string;
  object: "chat.completion";
  /** Unix time in seconds. */
  created: number;
  model: string;
  system_fingerprint?: string;
  choices: ChatChoice[];
  usage?: ChatUsage;
  timings?: ChatTimings;
};

/** A piece of a tool call. */
export type ChatToolCallDelta = {
  index: number;
  id?: string;
  type?: "function";
  function?: { name?: string; arguments?: string };
};

/** A piece of a message. */
export type ChatDelta = {
  role?: "assistant";
  content?: string | null;
  /** Not OpenAI's. */
  reasoning_content?: string | null;
  tool_calls?: ChatToolCallDelta[];
};

/** A piece of one choice. */
export type ChatChunkChoice = {
  index: number;
  delta: ChatDelta;
  /** On the last chunk of a choice, with `logprobs` and `record`. */
  finish_reason: ChatFinishReason | null;
  logprobs?: ChatLogprobs | null;
  record?: ChatRecord;
};

/** A piece of a streamed answer. */
export type ChatCompletionChunk = {
  id: string;
  object: "chat.completion.chunk";
  created: number;
  model: string;
  system_fingerprint?: string;
  /** Empty on the last chunk with `include_usage`. */
  choices: ChatChunkChoice[];
  usage?: ChatUsage | null;
  timings?: ChatTimings;
};

/** Availability of a model before it is loaded, with the values of Chrome's Prompt API. */
export type ChatAvailability = "unavailable" | "downloadable" | "downloading" | "available";

/** A model behind OpenAI's interface. `{ chat }` is a client in the shape of OpenAI's. */
export interface Chat {
  readonly completions: {
    /**
     * @throws WaggleError `INVALID_ARGUMENT` for an invalid request, `CAPABILITY_MISSING` for one
     *   that this chat does not support, `CONTEXT_OVERFLOW`, `GRAMMAR_UNSUPPORTED` and errors of
     *   the device or the network; the signal's reason after an abort.
     */
    create(
      request: ChatRequest & { readonly stream: true },
      options?: ChatRequestOptions,
    ): Promise<AsyncIterable<ChatCompletionChunk>>;
    create(
      request: ChatRequest & { readonly stream?: false | null },
      options?: ChatRequestOptions,
    ): Promise<ChatCompletion>;
    create(
      request: ChatRequest,
      options?: ChatRequestOptions,
    ): Promise<ChatCompletion | AsyncIterable<ChatCompletionChunk>>;
    create(
      request: PlainChatRequest & { readonly stream?: false | null },
      options?: ChatRequestOptions,
    ): Promise<ChatCompletion>;
    create(
      request: PlainChatRequest & { readonly stream: true },
      options?: ChatRequestOptions,
    ): Promise<AsyncIterable<ChatCompletionChunk>>;
  };
  /** Tokens of the messages, up to the start of the answer; `null` if unknown. */
  countTokens(request: Pick<ChatRequest, "messages" | "tools">): Promise<number | null>;
  /** Maximum tokens of prompt and answer; `null` if unknown. */
  readonly contextLength: number | null;
  /** Ends requests in progress. Does not dispose of a policy that was passed in. */
  dispose(): Promise<void>;
}

/** Schema of arguments for a tool without one. */
export const NO_PARAMETERS: JsonSchema = { type: "object", properties: {} };
