/**
 * Tokens of one generation on their way to the page: the first by itself where it is watched, then a
 * message a frame, not a message a token. They leave between two tokens, so no turn of the event loop
 * is waited for.
 */

/** A frame, where somebody looks at each token. */
const WATCHED_MS = 16;
/** Where nobody does: the page's record of the session still grows. */
const UNWATCHED_MS = 100;

export type TokenBunches = {
  readonly add: (tokenId: number) => void;
  /** Sends what waits: of a generation that fails, since an answer has all of its tokens. */
  readonly flush: () => void;
};

export function createTokenBunches(
  post: (tokenIds: readonly number[]) => void,
  isWatched: boolean,
): TokenBunches {
  const waiting: number[] = [];
  let due = 0;
  const flush = (): void => {
    due = performance.now() + (isWatched ? WATCHED_MS : UNWATCHED_MS);
    if (waiting.length > 0) post(waiting.splice(0));
  };
  const add = (tokenId: number): void => {
    waiting.push(tokenId);
    if (performance.now() >= due) flush();
  };
  // Whoever watches waits for the first token.
  if (!isWatched) flush();
  return { add, flush };
}
