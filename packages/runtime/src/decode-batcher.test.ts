import { expect, test } from "vitest";
import { DecodeBatcher } from "./decode-batcher.ts";
import type { DecoderCache, DecoderSession } from "./decoder-session.ts";
import { SerialQueue } from "./serial-queue.ts";

const cacheOf = (length: number): DecoderCache => ({ length, dispose: () => undefined });

/** Answers each row with its own token as logits, and records how many came together. */
function fakeSession(maxRows: number) {
  const batches: number[] = [];
  const session: Pick<DecoderSession, "maxRows" | "decodeRows"> = {
    maxRows,
    decodeRows: (rows) => {
      batches.push(rows.length);
      if (rows.some((row) => row.tokenId === 13)) return Promise.reject(new Error("13"));
      return Promise.resolve(
        rows.map(({ tokenId, cache }) => ({
          logits: Float32Array.of(tokenId),
          cache: cacheOf(cache.length + 1),
        })),
      );
    },
  };
  return { batches, session: session as DecoderSession };
}

const nextTask = () => new Promise<void>((resolve) => setImmediate(resolve));

test("contexts that sample together are decoded together, each with its own answer", async () => {
  const { batches, session } = fakeSession(8);
  const batcher = new DecodeBatcher(session, new SerialQueue(), nextTask);
  batcher.samplings = 3;
  const walk = async (start: number, steps: number) => {
    const seen: number[] = [];
    let cache = cacheOf(start);
    for (let step = 0; step < steps; step++) {
      const output = await batcher.decode(start + step, cache);
      cache = output.cache;
      seen.push(output.logits[0] as number);
    }
    batcher.samplings--;
    return [...seen, cache.length];
  };
  const walks = await Promise.all([walk(100, 4), walk(200, 2), walk(300, 4)]);
  expect(walks).toEqual([
    [100, 101, 102, 103, 104],
    [200, 201, 202],
    [300, 301, 302, 303, 304],
  ]);
  expect(batches).toEqual([3, 3, 2, 2]);
});

test("no batch has more rows than the session takes", async () => {
  const { batches, session } = fakeSession(2);
  const batcher = new DecodeBatcher(session, new SerialQueue(), nextTask);
  batcher.samplings = 5;
  const outputs = await Promise.all([1, 2, 3, 4, 5].map((id) => batcher.decode(id, cacheOf(1))));
  expect(outputs.map((output) => output.logits[0])).toEqual([1, 2, 3, 4, 5]);
  expect(batches).toEqual([2, 2, 1]);
});

test("a failed run fails the contexts that were in it, and the next ones go on", async () => {
  const { session } = fakeSession(8);
  const batcher = new DecodeBatcher(session, new SerialQueue(), nextTask);
  const [first, second] = await Promise.allSettled([
    batcher.decode(13, cacheOf(1)),
    batcher.decode(2, cacheOf(1)),
  ]);
  expect([first.status, second.status]).toEqual(["rejected", "rejected"]);
  expect((await batcher.decode(2, cacheOf(1))).logits[0]).toBe(2);
});
