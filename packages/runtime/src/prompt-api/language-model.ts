/**
 * `LanguageModel` of the Prompt API over a chat, for browsers that have none, or one without a
 * model. Text, and tools with `execute`; no images, no audio. When a conversation outgrows the
 * context, its oldest turns are dropped and `contextoverflow` is fired.
 */
import { isObject } from "@waggle/protocol";
import { SharedSource } from "../chat/chat-source.ts";
import type { ChatSource } from "../chat/chat-source.ts";
import type { Chat, ChatAvailability, ChatMessage } from "../chat/chat-types.ts";
import { Conversation } from "./conversation.ts";
import { toDomException } from "./prompt-errors.ts";
import { toMessages, toResponseFormat } from "./prompts.ts";
import type {
  LanguageModelConstructor,
  LanguageModelCreateCoreOptions,
  LanguageModelCreateOptions,
  LanguageModelPrompt,
  LanguageModelPromptOptions,
  LanguageModelSession,
  LanguageModelTool,
} from "./prompt-api-types.ts";

/** Options of `installLanguageModel`. */
export type InstallOptions = {
  /** Object that gets `LanguageModel`. Default: the global object. */
  readonly target?: { LanguageModel?: unknown };
  /**
   * `absent`: only if there is none. `unavailable` (default): also if the browser's has no model.
   * `always`.
   */
  readonly when?: "absent" | "unavailable" | "always";
};

/** Installs a `LanguageModel` over this chat. @returns whether it was installed. */
export async function installLanguageModel(
  source: ChatSource,
  { target = globalThis as { LanguageModel?: unknown }, when = "unavailable" }: InstallOptions = {},
): Promise<boolean> {
  const own = target.LanguageModel as LanguageModelConstructor | undefined;
  if (own !== undefined && when !== "always") {
    if (when === "absent" || (await own.availability()) !== "unavailable") return false;
  }
  Object.defineProperty(target, "LanguageModel", {
    value: createLanguageModelClass(source),
    configurable: true,
    writable: true,
  });
  return true;
}

/** A `LanguageModel` class whose sessions share one chat. */
export function createLanguageModelClass(source: ChatSource): LanguageModelConstructor {
  const shared = new SharedSource(source);

  return class LanguageModel extends EventTarget implements LanguageModelSession {
    readonly #conversation: Conversation;
    readonly #destruction = new AbortController();
    #handler: ((event: Event) => unknown) | null = null;
    /** The last prompt: prompts of one session are answered in order. */
    #last: Promise<unknown> = Promise.resolve();

    static async availability(
      options: LanguageModelCreateCoreOptions = {},
    ): Promise<ChatAvailability> {
      return isSupported(options) ? shared.availability() : "unavailable";
    }

    static async create(options: LanguageModelCreateOptions = {}): Promise<LanguageModelSession> {
      const { signal, monitor, initialPrompts = [], tools = [] } = options;
      signal?.throwIfAborted();
      // An empty list means no message here; `prompt` would take it for an empty one.
      const initial = initialPrompts.length === 0 ? [] : toMessages(initialPrompts, false);
      if (initial.some((message) => message.role === "assistant" && message.prefix)) {
        throw new DOMException("a conversation cannot begin with a prefix", "SyntaxError");
      }
      for (const tool of tools) assertTool(tool);
      if (!isSupported(options)) {
        throw new DOMException("only text is supported", "NotSupportedError");
      }
      const chat = await openChat(shared, signal, monitor);
      const model = new LanguageModel(new Conversation(chat, initial, options));
      await model.#conversation.measureInitial();
      return model;
    }

    private constructor(conversation: Conversation) {
      super();
      this.#conversation = conversation;
      conversation.onOverflow = () => this.dispatchEvent(new Event("contextoverflow"));
    }

    get contextUsage(): number {
      return this.#conversation.usage;
    }

    get contextWindow(): number {
      return this.#conversation.window;
    }

    get oncontextoverflow(): ((event: Event) => unknown) | null {
      return this.#handler;
    }

    set oncontextoverflow(handler: ((event: Event) => unknown) | null) {
      if (this.#handler !== null) this.removeEventListener("contextoverflow", this.#handler);
      this.#handler = typeof handler === "function" ? handler : null;
      if (this.#handler !== null) this.addEventListener("contextoverflow", this.#handler);
    }

    async prompt(
      input: LanguageModelPrompt,
      options: LanguageModelPromptOptions = {},
    ): Promise<string> {
      let text = "";
      for await (const piece of this.#answer(input, options)) text += piece;
      return text;
    }

    promptStreaming(
      input: LanguageModelPrompt,
      options: LanguageModelPromptOptions = {},
    ): ReadableStream<string> {
      const pieces = this.#answer(input, options);
      return new ReadableStream({
        pull: async (controller) => {
          const { done, value } = await pieces.next();
          if (done === true) controller.close();
          else controller.enqueue(value);
        },
        cancel: async () => {
          await pieces.return();
        },
      });
    }

    async append(
      input: LanguageModelPrompt,
      { signal: given }: { readonly signal?: AbortSignal } = {},
    ): Promise<undefined> {
      const signal = this.#signal(given);
      signal.throwIfAborted();
      const appended = this.#last.then(() => {
        signal.throwIfAborted();
        return this.#conversation.append(toMessages(input, this.#conversation.hasInput));
      });
      this.#last = appended.catch(() => undefined);
      await appended.catch((error: unknown) => {
        throw toDomException(error);
      });
    }

    async measureContextUsage(
      input: LanguageModelPrompt,
      options: LanguageModelPromptOptions = {},
    ): Promise<number> {
      this.#signal(options.signal).throwIfAborted();
      if (options.omitResponseConstraintInput && options.responseConstraint === undefined) {
        throw new TypeError("omitResponseConstraintInput needs a responseConstraint");
      }
      return this.#conversation.measure(toMessages(input, false));
    }

    clone({ signal }: { readonly signal?: AbortSignal } = {}): Promise<LanguageModelSession> {
      return Promise.resolve().then(() => {
        this.#signal(signal).throwIfAborted();
        return new LanguageModel(this.#conversation.clone());
      });
    }

    destroy(): void {
      this.#destruction.abort(new DOMException("the session was destroyed", "AbortError"));
    }

    async *#answer(
      input: LanguageModelPrompt,
      options: LanguageModelPromptOptions,
    ): AsyncGenerator<string, void> {
      const turn = Promise.withResolvers<void>();
      const before = this.#last;
      this.#last = turn.promise;
      try {
        const signal = this.#signal(options.signal);
        signal.throwIfAborted();
        const format = toResponseFormat(options.responseConstraint);
        await before;
        signal.throwIfAborted();
        const messages: ChatMessage[] = toMessages(input, this.#conversation.hasInput);
        yield* this.#conversation.answer(messages, { format, signal });
      } catch (error) {
        throw toDomException(error);
      } finally {
        turn.resolve();
      }
    }

    #signal(given: AbortSignal | undefined): AbortSignal {
      const own = this.#destruction.signal;
      return given === undefined ? own : AbortSignal.any([own, given]);
    }
  };
}

async function openChat(
  source: ChatSource,
  signal: AbortSignal | undefined,
  monitor: LanguageModelCreateOptions["monitor"],
): Promise<Chat> {
  const target = new EventTarget();
  monitor?.(target);
  let last = -1;
  const onProgress = (loaded: number): void => {
    if (loaded <= last) return;
    last = loaded;
    target.dispatchEvent(
      Object.defineProperties(new Event("downloadprogress"), {
        loaded: { value: loaded },
        total: { value: 1 },
        lengthComputable: { value: true },
      }),
    );
  };
  try {
    // The draft fires the first and the last event even if the model is already available.
    onProgress(0);
    const chat = await source.open({ signal, onProgress });
    onProgress(1);
    return chat;
  } catch (error) {
    throw toDomException(error);
  }
}

function assertTool(tool: LanguageModelTool): void {
  const isWhole =
    typeof tool.name === "string" &&
    typeof tool.description === "string" &&
    isObject(tool.inputSchema) &&
    typeof tool.execute === "function";
  if (!isWhole) throw new TypeError("a tool must have name, description, inputSchema and execute");
}

function isSupported({
  expectedInputs = [],
  expectedOutputs = [],
}: LanguageModelCreateCoreOptions): boolean {
  const canonical = [...expectedInputs, ...expectedOutputs];
  // Throws a RangeError for invalid language tags, as the platform does.
  for (const { languages } of canonical) Intl.getCanonicalLocales(languages as string[]);
  return canonical.every(({ type }) => type === "text");
}
