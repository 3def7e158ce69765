/**
 * Types of the Prompt API's draft (webmachinelearning.github.io/prompt-api, October 2026), limited
 * to text and tools. TypeScript's DOM library does not have them yet.
 */
import type { ChatAvailability } from "../chat/chat-types.ts";

/** One part of a message's content. */
export type LanguageModelMessageContent = {
  readonly type: "text" | "image" | "audio";
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

type Expected = { readonly type: string; readonly languages?: readonly string[] };

/** Options that determine what a session supports. */
export type LanguageModelCreateCoreOptions = {
  readonly topK?: number;
  readonly temperature?: number;
  readonly expectedInputs?: readonly Expected[];
  readonly expectedOutputs?: readonly Expected[];
  readonly tools?: readonly LanguageModelTool[];
};

/** Options of `LanguageModel.create`. */
export type LanguageModelCreateOptions = LanguageModelCreateCoreOptions & {
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

type Cancellable = { readonly signal?: AbortSignal };

/** One conversation. */
export interface LanguageModelSession extends EventTarget {
  prompt(input: LanguageModelPrompt, options?: LanguageModelPromptOptions): Promise<string>;
  promptStreaming(
    input: LanguageModelPrompt,
    options?: LanguageModelPromptOptions,
  ): ReadableStream<string>;
  append(input: LanguageModelPrompt, options?: Cancellable): Promise<undefined>;
  measureContextUsage(
    input: LanguageModelPrompt,
    options?: LanguageModelPromptOptions,
  ): Promise<number>;
  readonly contextUsage: number;
  readonly contextWindow: number;
  oncontextoverflow: ((event: Event) => unknown) | null;
  clone(options?: Cancellable): Promise<LanguageModelSession>;
  destroy(): void;
}

/** `LanguageModel` of a window. */
export interface LanguageModelConstructor {
  create(options?: LanguageModelCreateOptions): Promise<LanguageModelSession>;
  availability(options?: LanguageModelCreateCoreOptions): Promise<ChatAvailability>;
}
