/** Where a chat comes from before it is there: whether it can be had, loading it, the next best. */
import { WaggleError } from "@waggle/protocol";
import type { Chat, ChatAvailability } from "./chat-types.ts";

export type OpenChatOptions = {
  readonly signal?: AbortSignal | undefined;
  /** The part of what is loaded that is there, 0 to 1. */
  readonly onProgress?: ((loaded: number) => void) | undefined;
};

export interface ChatSource {
  /** Never loads. */
  availability(): Promise<ChatAvailability>;
  open(options?: OpenChatOptions): Promise<Chat>;
}

/**
 * The chat of the first source that has one. A source that is unavailable or cannot be opened makes
 * place for the next; what goes wrong later in an answer is the caller's to repeat.
 *
 * @throws WaggleError `DEVICE_UNAVAILABLE` where none could be opened, the errors as its cause; the
 *   signal's reason after an abort.
 */
export async function firstAvailable(
  sources: readonly ChatSource[],
  options: OpenChatOptions = {},
): Promise<Chat> {
  const errors: unknown[] = [];
  for (const source of sources) {
    options.signal?.throwIfAborted();
    try {
      if ((await source.availability()) === "unavailable") continue;
      return await source.open(options);
    } catch (error) {
      options.signal?.throwIfAborted();
      errors.push(error);
    }
  }
  throw new WaggleError(
    "DEVICE_UNAVAILABLE",
    `one of ${sources.length} chats must be available, got ${errors.length} that failed and ${sources.length - errors.length} unavailable; add a source that works everywhere, e.g. a server`,
    { cause: new AggregateError(errors) },
  );
}

/** A source that opens once, however often it is asked, and once more after a failure. */
export class SharedSource implements ChatSource {
  readonly #source: ChatSource;
  readonly #listeners = new Set<(loaded: number) => void>();
  #opening: Promise<Chat> | null = null;
  #isOpen = false;

  constructor(source: ChatSource) {
    this.#source = source;
  }

  async availability(): Promise<ChatAvailability> {
    if (this.#isOpen) return "available";
    return this.#opening === null ? this.#source.availability() : "downloading";
  }

  async open({ signal, onProgress }: OpenChatOptions = {}): Promise<Chat> {
    signal?.throwIfAborted();
    if (onProgress) this.#listeners.add(onProgress);
    // Whoever gives up leaves the others their chat.
    const leaving = Promise.withResolvers<never>();
    const leave = (): void => leaving.reject(signal?.reason);
    signal?.addEventListener("abort", leave, { once: true });
    try {
      return await Promise.race([this.#open(), leaving.promise]);
    } finally {
      signal?.removeEventListener("abort", leave);
      if (onProgress) this.#listeners.delete(onProgress);
    }
  }

  #open(): Promise<Chat> {
    this.#opening ??= this.#source
      .open({ onProgress: (loaded) => this.#listeners.forEach((listener) => listener(loaded)) })
      .then(
        (chat) => {
          this.#isOpen = true;
          return chat;
        },
        (error: unknown) => {
          this.#opening = null;
          throw error;
        },
      );
    return this.#opening;
  }
}

/** A source of a chat that is there. */
export function sourceOf(chat: Chat): ChatSource {
  return { availability: () => Promise.resolve("available"), open: () => Promise.resolve(chat) };
}
