/**
 * Batches a generation's tokens for the page: the first one immediately if there is a listener,
 * then one message per frame. Batches are posted between two tokens, without waiting for a turn of
 * the event loop.
 */

/** One frame, if there is a listener for each token. */
const WATCHED_MS = 16;
/** Without a listener, the page's record of the session still grows. */
const UNWATCHED_MS = 100;

export type TokenBunches = {
  readonly add: (tokenId: number) => void;
  /** Posts waiting tokens of a generation that fails; a result has all tokens. */
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
  // A listener waits for the first token.
  if (!isWatched) flush();
  return { add, flush };
}
