/**
 * Types of the Prompt API's draft (webmachinelearning.github.io/prompt-api, as in @webref/idl 3.85.0).
 * TypeScript's DOM library does not have them yet.
 */
import type { ChatAvailability } from "../chat/chat-types.ts";

/** Type of content. Text and tools are supported. */
export type LanguageModelMessageType = "text" | "image" | "audio" | "tool-call" | "tool-response";

/** One part of a message's content. */
export type LanguageModelMessageContent = {
  readonly type: LanguageModelMessageType;
  readonly value: unknown;
};

/** One message of a conversation. */
export type LanguageModelMessage = {
  readonly role: "system" | "user" | "assistant";
  readonly content: string | readonly LanguageModelMessageContent[];
  /** On a last assistant message: the answer continues it. */
  readonly prefix?: boolean;
};

/** A user's text, or messages. */
export type LanguageModelPrompt = string | readonly LanguageModelMessage[];

/** A function that the session runs when the model calls it. */
export type LanguageModelTool = {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the single argument. */
  readonly inputSchema: object;
  readonly execute: (input: never) => Promise<string>;
};

/** Content that a session will get or give. */
export type LanguageModelExpected = {
  readonly type: LanguageModelMessageType;
  readonly languages?: readonly string[];
};

/** How much answers vary, without numbers that depend on the model. */
export type LanguageModelSamplingMode =
  | "most-predictable"
  | "predictable"
  | "slightly-predictable"
  | "balanced"
  | "slightly-creative"
  | "creative"
  | "most-creative";

/** Options that determine what a session supports. */
export type LanguageModelCreateCoreOptions = {
  /** Not together with `samplingMode`. At least 1. */
  readonly topK?: number;
  /** Not together with `samplingMode`. At least 0, which is greedy; above 2 it is 2. */
  readonly temperature?: number;
  /** Default `balanced`. */
  readonly samplingMode?: LanguageModelSamplingMode;
  readonly expectedInputs?: readonly LanguageModelExpected[];
  readonly expectedOutputs?: readonly LanguageModelExpected[];
  readonly tools?: readonly LanguageModelTool[];
};

/** Options of `LanguageModel.create`. */
export type LanguageModelCreateOptions = LanguageModelCreateCoreOptions & {
  /** Ends loading; later it destroys the session. */
  readonly signal?: AbortSignal;
  /** Receives an event target for `downloadprogress`, whose `loaded` goes from 0 to 1. */
  readonly monitor?: (monitor: EventTarget) => void;
  readonly initialPrompts?: readonly LanguageModelMessage[];
};

/** Options of `prompt` and `promptStreaming`. */
export type LanguageModelPromptOptions = {
  /** A JSON Schema, or a regular expression that the whole answer must match. */
  readonly responseConstraint?: object;
  readonly omitResponseConstraintInput?: boolean;
  readonly signal?: AbortSignal;
};

/** Options of `append` and `clone`. */
export type LanguageModelAppendOptions = { readonly signal?: AbortSignal };

/** One conversation. */
export interface LanguageModelSession extends EventTarget {
  prompt(input: LanguageModelPrompt, options?: LanguageModelPromptOptions): Promise<string>;
  promptStreaming(
    input: LanguageModelPrompt,
    options?: LanguageModelPromptOptions,
  ): ReadableStream<string>;
  append(input: LanguageModelPrompt, options?: LanguageModelAppendOptions): Promise<undefined>;
  measureContextUsage(
    input: LanguageModelPrompt,
    options?: LanguageModelPromptOptions,
  ): Promise<number>;
  readonly contextUsage: number;
  readonly contextWindow: number;
  oncontextoverflow: ((event: Event) => unknown) | null;
  clone(options?: LanguageModelAppendOptions): Promise<LanguageModelSession>;
  destroy(): void;
}

/** `LanguageModel` of a window. */
export interface LanguageModelConstructor {
  create(options?: LanguageModelCreateOptions): Promise<LanguageModelSession>;
  availability(options?: LanguageModelCreateCoreOptions): Promise<ChatAvailability>;
}

/** A session with the members that the draft leaves to extensions or calls experimental. */
export interface FullLanguageModelSession extends LanguageModelSession {
  /** @deprecated Use `measureContextUsage`. */
  measureInputUsage(
    input: LanguageModelPrompt,
    options?: LanguageModelPromptOptions,
  ): Promise<number>;
  /** @deprecated Use `contextUsage`. */
  readonly inputUsage: number;
  /** @deprecated Use `contextWindow`. */
  readonly inputQuota: number;
  /** @deprecated Use `oncontextoverflow`. */
  onquotaoverflow: ((event: Event) => unknown) | null;
  readonly topK: number;
  readonly temperature: number;
  /** `null` if the session was created with `topK` or `temperature`. */
  readonly samplingMode: LanguageModelSamplingMode | null;
  clone(options?: LanguageModelAppendOptions): Promise<FullLanguageModelSession>;
}

/** `LanguageModel` with the members that the draft leaves to extensions. */
export interface FullLanguageModelConstructor extends LanguageModelConstructor {
  create(options?: LanguageModelCreateOptions): Promise<FullLanguageModelSession>;
  params(): Promise<LanguageModelLimits | null>;
}

/** Default and maximum sampling parameters. */
export type LanguageModelLimits = {
  readonly defaultTopK: number;
  readonly maxTopK: number;
  readonly defaultTemperature: number;
  readonly maxTemperature: number;
};
