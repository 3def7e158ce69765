/** Tokens of one generation on their way to the page: a message a frame, not a message a token. */

/** A frame, where somebody looks at each token. */
const WATCHED_MS = 16;
/** Where nobody does: the page's record of the session still grows. */
const UNWATCHED_MS = 100;

export class TokenBunches {
  readonly #post: (tokenIds: readonly number[]) => void;
  readonly #intervalMs: number;
  #waiting: number[] = [];
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(post: (tokenIds: readonly number[]) => void, isWatched: boolean) {
    this.#post = post;
    this.#intervalMs = isWatched ? WATCHED_MS : UNWATCHED_MS;
  }

  readonly add = (tokenId: number): void => {
    this.#waiting.push(tokenId);
    this.#timer ??= setTimeout(this.#flush, this.#intervalMs);
  };

  /** Sends the rest; to be called before the answer. */
  end(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#flush();
  }

  readonly #flush = (): void => {
    this.#timer = null;
    if (this.#waiting.length > 0) this.#post(this.#waiting);
    this.#waiting = [];
  };
}
