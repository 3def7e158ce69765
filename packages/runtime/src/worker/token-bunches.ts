/**
 * Tokens of one generation on their way to the page: a message a frame, not a message a token. They
 * leave between two tokens, so no turn of the event loop is waited for.
 */

/** A frame, where somebody looks at each token. */
const WATCHED_MS = 16;
/** Where nobody does: the page's record of the session still grows. */
const UNWATCHED_MS = 100;

export class TokenBunches {
  readonly #post: (tokenIds: readonly number[]) => void;
  readonly #intervalMs: number;
  #waiting: number[] = [];
  #due: number;

  constructor(post: (tokenIds: readonly number[]) => void, isWatched: boolean) {
    this.#post = post;
    this.#intervalMs = isWatched ? WATCHED_MS : UNWATCHED_MS;
    this.#due = performance.now() + this.#intervalMs;
  }

  readonly add = (tokenId: number): void => {
    this.#waiting.push(tokenId);
    if (performance.now() >= this.#due) this.flush();
  };

  /** Sends what waits: of a generation that fails, since an answer has all of its tokens. */
  flush(): void {
    this.#due = performance.now() + this.#intervalMs;
    if (this.#waiting.length > 0) this.#post(this.#waiting);
    this.#waiting = [];
  }
}
