import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createTokenBunches } from "./token-bunches.ts";
import type { TokenBunches } from "./token-bunches.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

/** The messages of a generation with a token every 4 ms. */
function postsOf(count: number, isWatched: boolean): { posts: number[][]; bunches: TokenBunches } {
  const posts: number[][] = [];
  const bunches = createTokenBunches((tokenIds) => posts.push([...tokenIds]), isWatched);
  for (let id = 0; id < count; id++) {
    vi.advanceTimersByTime(4);
    bunches.add(id);
  }
  return { posts, bunches };
}

test("watched tokens are posted in order while the thread is busy, the first at once, then once a frame", () => {
  expect(postsOf(10, true).posts).toEqual([[0], [1, 2, 3, 4], [5, 6, 7, 8]]);
});

test("a short generation without a listener posts nothing before its result", () => {
  expect(postsOf(24, false).posts).toEqual([]);
  expect(postsOf(25, false).posts).toHaveLength(1);
});

test("flush posts waiting tokens once", () => {
  const { posts, bunches } = postsOf(7, true);
  bunches.flush();
  bunches.flush();
  expect(posts).toEqual([[0], [1, 2, 3, 4], [5, 6]]);
});
