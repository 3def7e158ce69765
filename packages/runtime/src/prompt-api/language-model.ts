/**
 * `LanguageModel` of the Prompt API over a chat, with the interface of the draft. Text, and tools with
 * `execute`; no images, no audio. When a conversation outgrows the context, its oldest turns are dropped
 * and `contextoverflow` is fired. Deviations: docs/reference/prompt-api.md.
 */
import { SharedSource } from "../chat/chat-source.ts";
import type { ChatSource } from "../chat/chat-source.ts";
import type {
  Chat,
  ChatAvailability,
  ChatMessage,
  ChatResponseFormat,
} from "../chat/chat-types.ts";
import { untilAborted } from "../chat/until-aborted.ts";
import { Conversation } from "./conversation.ts";
import {
  toAppendOptions,
  toCoreOptions,
  toCreateOptions,
  toPrompt,
  toPromptOptions,
} from "./conversions.ts";
import { CreateMonitor, createProgress } from "./create-monitor.ts";
import { EventHandler } from "./event-handler.ts";
import type { Handler } from "./event-handler.ts";
import { toDomException } from "./prompt-errors.ts";
import { toMessages, toResponseFormat } from "./prompts.ts";
import type {
  FullLanguageModelConstructor,
  FullLanguageModelSession,
  LanguageModelAppendOptions,
  LanguageModelCreateCoreOptions,
  LanguageModelCreateOptions,
  LanguageModelPrompt,
  LanguageModelPromptOptions,
  LanguageModelSamplingMode,
} from "./prompt-api-types.ts";
import { assertOneSampling, LanguageModelParams, sessionSampling } from "./sampling-modes.ts";
import { requireArguments, shapeAsInterface } from "./web-idl.ts";

/** Only this module makes sessions. */
const KEY = Symbol("session");

type Prepared = {
  readonly prompt: ReturnType<typeof toPrompt>;
  readonly format: ChatResponseFormat | undefined;
  readonly signal: AbortSignal;
};

/** A `LanguageModel` class whose sessions share one chat. */
export function createLanguageModelClass(source: ChatSource): FullLanguageModelConstructor {
  const shared = new SharedSource(source);

  class LanguageModel extends EventTarget implements FullLanguageModelSession {
    readonly #conversation: Conversation;
    readonly #destruction = new AbortController();
    readonly #contextHandler = new EventHandler(this, "contextoverflow");
    readonly #quotaHandler = new EventHandler(this, "quotaoverflow");
    /** The last prompt: prompts of one session are answered in order. */
    #last: Promise<unknown> = Promise.resolve();

    static async create(given: LanguageModelCreateOptions = {}): Promise<FullLanguageModelSession> {
      const options = toCreateOptions(given, "options");
      const { signal, monitor, initialPrompts = [], tools = [] } = options;
      assertOneSampling(options);
      const sampling = sessionSampling(options);
      assertLanguages(options);
      // An empty list means no message here; `prompt` would take it for an empty one.
      const initial = initialPrompts.length === 0 ? [] : toMessages(initialPrompts, false);
      signal?.throwIfAborted();
      const target = new CreateMonitor();
      monitor?.(target);
      if (!isSupported(options)) {
        throw new DOMException("only text and tools are supported", "NotSupportedError");
      }
      try {
        const chat = await openChat(shared, signal, createProgress(target, signal));
        const model = new LanguageModel(KEY, new Conversation(chat, initial, { sampling, tools }));
        await untilAborted(model.#conversation.measureInitial(), signal);
        signal?.throwIfAborted();
        signal?.addEventListener("abort", () => model.#destruction.abort(signal.reason));
        return model;
      } catch (error) {
        signal?.throwIfAborted();
        throw toDomException(error, "OperationError");
      }
    }

    static async availability(
      given: LanguageModelCreateCoreOptions = {},
    ): Promise<ChatAvailability> {
      const options = toCoreOptions(given, "options");
      assertOneSampling(options);
      assertLanguages(options);
      return isSupported(options) ? availabilityOf(shared) : "unavailable";
    }

    static async params(): Promise<LanguageModelParams | null> {
      return (await availabilityOf(shared)) === "unavailable" ? null : new LanguageModelParams();
    }

    constructor(key: symbol, conversation: Conversation) {
      if (key !== KEY) throw new TypeError("use LanguageModel.create()");
      super();
      this.#conversation = conversation;
      conversation.onOverflow = () => {
        for (const name of ["contextoverflow", "quotaoverflow"]) {
          this.dispatchEvent(new Event(name));
        }
      };
    }

    async prompt(
      input: LanguageModelPrompt,
      options: LanguageModelPromptOptions = {},
    ): Promise<string> {
      requireArguments(arguments.length, 1, "prompt");
      let text = "";
      await this.#answer(this.#prepare(input, options), (piece) => (text += piece));
      return text;
    }

    promptStreaming(
      input: LanguageModelPrompt,
      options: LanguageModelPromptOptions = {},
    ): ReadableStream<string> {
      requireArguments(arguments.length, 1, "promptStreaming");
      const prepared = this.#prepare(input, options);
      const cancellation = new AbortController();
      const signal = AbortSignal.any([prepared.signal, cancellation.signal]);
      return new ReadableStream<string>({
        // It does not wait for a reader, which would hold up the session's next prompts.
        start: (controller) => {
          this.#answer({ ...prepared, signal }, (piece) => {
            if (!signal.aborted) controller.enqueue(piece);
          }).then(
            () => {
              if (!cancellation.signal.aborted) controller.close();
            },
            // No effect on a stream that was canceled.
            (error: unknown) => controller.error(error),
          );
        },
        cancel: () => cancellation.abort(),
      });
    }

    async append(
      input: LanguageModelPrompt,
      options: LanguageModelAppendOptions = {},
    ): Promise<undefined> {
      requireArguments(arguments.length, 1, "append");
      const prompt = toPrompt(input, "input");
      const signal = this.#signal(toAppendOptions(options, "options").signal);
      await this.#inTurn(prompt, signal, (messages) => this.#conversation.append(messages));
    }

    async measureContextUsage(
      input: LanguageModelPrompt,
      options: LanguageModelPromptOptions = {},
    ): Promise<number> {
      requireArguments(arguments.length, 1, "measureContextUsage");
      return this.#measure(input, options);
    }

    async measureInputUsage(
      input: LanguageModelPrompt,
      options: LanguageModelPromptOptions = {},
    ): Promise<number> {
      requireArguments(arguments.length, 1, "measureInputUsage");
      return this.#measure(input, options);
    }

    get contextUsage(): number {
      return this.#conversation.usage;
    }

    get inputUsage(): number {
      return this.#conversation.usage;
    }

    get contextWindow(): number {
      return this.#conversation.window;
    }

    get inputQuota(): number {
      return this.#conversation.window;
    }

    get oncontextoverflow(): Handler {
      return this.#contextHandler.value;
    }

    set oncontextoverflow(handler: Handler) {
      this.#contextHandler.value = handler;
    }

    get onquotaoverflow(): Handler {
      return this.#quotaHandler.value;
    }

    set onquotaoverflow(handler: Handler) {
      this.#quotaHandler.value = handler;
    }

    get topK(): number {
      return this.#conversation.sampling.topK;
    }

    /** Rounded to 32 bits, because the draft's attribute is a `float`. */
    get temperature(): number {
      return Math.fround(this.#conversation.sampling.temperature);
    }

    get samplingMode(): LanguageModelSamplingMode | null {
      return this.#conversation.sampling.mode;
    }

    async clone(options: LanguageModelAppendOptions = {}): Promise<FullLanguageModelSession> {
      this.#signal(toAppendOptions(options, "options").signal);
      return new LanguageModel(KEY, this.#conversation.clone());
    }

    destroy(): void {
      this.#destruction.abort(new DOMException("the session was destroyed", "AbortError"));
    }

    /** @throws what Web IDL's conversions throw; the reason of a signal that is aborted. */
    #prepare(input: LanguageModelPrompt, given: LanguageModelPromptOptions): Prepared {
      const prompt = toPrompt(input, "input");
      const options = toPromptOptions(given, "options");
      const signal = this.#signal(options.signal);
      return { prompt, format: toResponseFormat(options), signal };
    }

    async #measure(input: LanguageModelPrompt, given: LanguageModelPromptOptions): Promise<number> {
      const { prompt, signal } = this.#prepare(input, given);
      const messages = toMessages(prompt, false);
      return untilAborted(this.#conversation.measure(messages).catch(rethrow), signal);
    }

    #answer({ prompt, format, signal }: Prepared, onPiece: (piece: string) => void): Promise<void> {
      return this.#inTurn(prompt, signal, async (messages) => {
        for await (const piece of this.#conversation.answer(messages, { format, signal })) {
          onPiece(piece);
        }
      });
    }

    /** Does this after the earlier prompts. An abort rejects at once with the signal's reason. */
    async #inTurn(
      prompt: Prepared["prompt"],
      signal: AbortSignal,
      work: (messages: ChatMessage[]) => Promise<void>,
    ): Promise<void> {
      const turn = this.#last.then(async () => {
        signal.throwIfAborted();
        const messages = toMessages(prompt, this.#conversation.hasInput);
        await work(messages).catch((error: unknown) => {
          signal.throwIfAborted();
          rethrow(error);
        });
      });
      this.#last = turn.catch(() => undefined);
      return untilAborted(turn, signal);
    }

    /** Aborts with the session or the given signal. @throws its reason if it is aborted. */
    #signal(given: AbortSignal | undefined): AbortSignal {
      const own = this.#destruction.signal;
      const signal = given === undefined ? own : AbortSignal.any([own, given]);
      signal.throwIfAborted();
      return signal;
    }
  }
  shapeAsInterface(LanguageModel, "LanguageModel");
  return LanguageModel;
}

function rethrow(error: unknown): never {
  throw toDomException(error);
}

async function openChat(
  source: ChatSource,
  signal: AbortSignal | undefined,
  onProgress: (loaded: number) => void,
): Promise<Chat> {
  if ((await availabilityOf(source)) === "unavailable") {
    throw new DOMException("there is no model", "NotSupportedError");
  }
  // The draft fires the first and the last event even if the model is already available.
  onProgress(0);
  const chat = await source.open({ signal, onProgress });
  onProgress(1);
  return chat;
}

async function availabilityOf(source: ChatSource): Promise<ChatAvailability> {
  return source.availability().catch(rethrow);
}

/** @throws RangeError for an invalid language tag, as the platform does. */
function assertLanguages({
  expectedInputs = [],
  expectedOutputs = [],
}: LanguageModelCreateCoreOptions): void {
  for (const { languages = [] } of [...expectedInputs, ...expectedOutputs]) {
    Intl.getCanonicalLocales([...languages]);
  }
}

function isSupported({
  expectedInputs = [],
  expectedOutputs = [],
}: LanguageModelCreateCoreOptions): boolean {
  return (
    expectedInputs.every(({ type }) => type === "text" || type === "tool-response") &&
    expectedOutputs.every(({ type }) => type === "text" || type === "tool-call")
  );
}
