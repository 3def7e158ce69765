/** A chat that may not be loaded yet: its availability, loading it, and fallbacks. */
import { WaggleError } from "@waggle/protocol";
import type { Chat, ChatAvailability } from "./chat-types.ts";
import { untilAborted } from "./until-aborted.ts";

/** Options for loading a chat. */
export type OpenChatOptions = {
  readonly signal?: AbortSignal | undefined;
  /** Called with the loaded share, 0 to 1. */
  readonly onProgress?: ((loaded: number) => void) | undefined;
};

/** A chat that may not be loaded yet. */
export interface ChatSource {
  /** Does not load anything. */
  availability(): Promise<ChatAvailability>;
  open(options?: OpenChatOptions): Promise<Chat>;
}

/**
 * The chat of the first source that has one. A source that is unavailable or fails to open is
 * skipped. Later errors are the caller's to handle.
 *
 * @throws WaggleError `DEVICE_UNAVAILABLE` if none could be opened, with the errors as its cause; the
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
    `none of ${sources.length} chats is available: ${errors.length} failed, ${sources.length - errors.length} unavailable; add one that works everywhere, e.g. a server`,
    { cause: new AggregateError(errors) },
  );
}

/** A source that opens once for all callers, and again after a failure. */
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
    try {
      // If one caller gives up, the others still get the chat.
      return await untilAborted(this.#open(), signal);
    } finally {
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

/** A source for a loaded chat. */
export function sourceOf(chat: Chat): ChatSource {
  return { availability: () => Promise.resolve("available"), open: () => Promise.resolve(chat) };
}
