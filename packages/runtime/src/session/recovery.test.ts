import { WaggleError } from "@waggle/protocol";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  hashAdapter,
  hashPrompt,
  openHashPolicy,
  sampled,
  undisturbed,
} from "./hash-policy.fixture.ts";

const lost = () => new WaggleError("DEVICE_LOST", "gone", { retryable: true });

/** Throws at the given runs, counted over all backends. */
const failAt = (runs: readonly number[], error: () => Error) => {
  let count = 0;
  return () => (runs.includes(++count) ? error() : null);
};

describe("a lost device", () => {
  test("at any run of any session leaves tokens and log-probs unchanged", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.integer({ min: 1, max: 40 }), { maxLength: 2 }),
        fc.boolean(),
        fc.integer({ min: 1, max: 3 }),
        async (runs, answersLater, maxRows) => {
          const { policy, backends } = await openHashPolicy({
            answersLater,
            maxRows,
            failure: failAt(runs, lost),
          });
          await policy.loadAdapter("a", hashAdapter(5));
          await Promise.all(
            [0, 1, 2].map(async (seed) => {
              const session = await policy.createContext();
              if (seed === 1) session.activate("a");
              for (let turn = 0; turn < 2; turn++) {
                session.append(hashPrompt(9 + seed, turn));
                const before = [...session.tokenIds];
                const sample = await session.generate(sampled(seed, 12));
                const adapter = seed === 1 ? hashAdapter(5) : null;
                const alone = await undisturbed(before, sampled(seed, 12), adapter);
                expect({ ...sample, fingerprint: "" }).toEqual({ ...alone, fingerprint: "" });
              }
            }),
          );
          await policy.dispose();
          for (const backend of backends) expect(backend.caches.size).toBe(0);
          expect(backends.at(-1)?.memory().adapters).toBe(0);
        },
      ),
      { numRuns: 60 },
    );
  });

  test("repeatedly is reported to the caller, and the session can continue afterwards", async () => {
    const { policy } = await openHashPolicy({ failure: failAt([3, 5, 7], lost) });
    const session = await policy.createContext();
    session.append(hashPrompt(10));
    const seen: number[] = [];
    const error = await session
      .generate({ ...sampled(1, 30), onToken: (id) => seen.push(id) })
      .catch((e: unknown) => e);
    expect(error).toMatchObject({ code: "DEVICE_LOST", retryable: true });
    expect(session.tokenIds).toEqual([...hashPrompt(10), ...seen]);
    const next = await session.generate(sampled(2, 10));
    expect(next).toEqual(await undisturbed(session.tokenIds.slice(0, -10), sampled(2, 10)));
    await policy.dispose();
  });

  test("while an adapter is opened or a session forks is recovered from", async () => {
    let isLost = false;
    const { policy, backends } = await openHashPolicy();
    const session = await policy.createContext();
    session.append(hashPrompt(10));
    await session.generate(sampled(1, 5));
    const first = backends[0];
    if (first === undefined) throw new Error("no backend");
    first.open = async () => {
      isLost = true;
      throw lost();
    };
    await policy.setAdapter(1, hashAdapter(3));
    expect([isLost, policy.currentVersion, backends.length]).toEqual([true, 1, 2]);
    const sample = await session.generate(sampled(2, 5));
    expect(sample).toEqual(await undisturbed(session.tokenIds.slice(0, -5), sampled(2, 5)));
    await policy.dispose();
  });
});

describe("no memory", () => {
  const full = () => new WaggleError("OUT_OF_MEMORY", "full", { retryable: true });

  test("drops caches of idle sessions, and reads them again when they continue", async () => {
    const { policy, backends } = await openHashPolicy({ room: 60 });
    const sessions = [];
    for (let seed = 0; seed < 4; seed++) {
      const session = await policy.createContext();
      session.append(hashPrompt(20, seed));
      sessions.push(session);
      const sample = await session.generate(sampled(seed, 8));
      expect(sample).toEqual(await undisturbed(hashPrompt(20, seed), sampled(seed, 8)));
    }
    for (const [seed, session] of sessions.entries()) {
      const before = [...session.tokenIds];
      const sample = await session.generate(sampled(seed + 9, 8));
      expect(sample).toEqual(await undisturbed(before, sampled(seed + 9, 8)));
    }
    expect(backends).toHaveLength(1);
    await policy.dispose();
  });

  test("with nothing left to drop makes the latest job wait for the others", async () => {
    const { policy, backends } = await openHashPolicy({ room: 60 });
    const samples = await Promise.all(
      [0, 1, 2].map(async (seed) => {
        const session = await policy.createContext();
        session.append(hashPrompt(10, seed));
        return session.generate(sampled(seed, 18));
      }),
    );
    for (const [seed, sample] of samples.entries()) {
      expect(sample).toEqual(await undisturbed(hashPrompt(10, seed), sampled(seed, 18)));
    }
    expect(backends[0]?.runs.some((rows) => rows.length === 3)).toBe(true);
    await policy.dispose();
  });

  test("a waiting job can be aborted, and one that never fits fails", async () => {
    const { policy } = await openHashPolicy({ room: 40 });
    const long = await policy.createContext();
    long.append(hashPrompt(20));
    const late = await policy.createContext();
    late.append(hashPrompt(20, 1));
    const abort = new AbortController();
    const running = long.generate({
      ...sampled(1, 40),
      onToken: () => {
        if (long.tokenIds.length === 38) abort.abort();
      },
    });
    const waiting = late.generate({ ...sampled(2, 40), signal: abort.signal });
    const [never, given] = await Promise.allSettled([running, waiting]);
    expect(never).toMatchObject({ reason: { code: "OUT_OF_MEMORY", retryable: true } });
    expect(given).toMatchObject({ value: { stopReason: "aborted" } });
    await policy.dispose();
  });

  test("is retried once, then reported", async () => {
    const { policy } = await openHashPolicy({ failure: failAt([2, 5, 6], full) });
    const session = await policy.createContext();
    session.append(hashPrompt(10));
    expect((await session.generate(sampled(1, 3))).tokenIds).toHaveLength(3);
    const error = await session.generate(sampled(1, 9)).catch((e: unknown) => e);
    expect(error).toMatchObject({ code: "OUT_OF_MEMORY", retryable: true });
    expect((await session.generate(sampled(1, 9))).tokenIds).toHaveLength(9);
    await policy.dispose();
  });
});

test("other errors end their generation with their code", async () => {
  const fault = () => new WaggleError("NON_FINITE_VALUE", "NaN");
  const { policy, backends } = await openHashPolicy({ failure: failAt([2], fault) });
  const session = await policy.createContext();
  session.append(hashPrompt(10));
  await expect(session.generate(sampled(1, 5))).rejects.toMatchObject({ code: "NON_FINITE_VALUE" });
  const next = await session.generate(sampled(2, 10));
  expect(next).toEqual(await undisturbed(session.tokenIds.slice(0, -10), sampled(2, 10)));
  expect(backends).toHaveLength(1);
  await policy.dispose();
});

test("beyond the memory cap the least recently used cache is dropped and read again", async () => {
  const { policy, backends } = await openHashPolicy({}, { cacheBytes: 60 });
  const sessions = await Promise.all(
    [0, 1, 2, 3].map(async (seed) => {
      const session = await policy.createContext();
      session.append(hashPrompt(20, seed));
      return session;
    }),
  );
  const held: number[] = [];
  for (const round of [0, 1]) {
    for (const [seed, session] of sessions.entries()) {
      const before = [...session.tokenIds];
      const options = sampled(seed + round, 5);
      expect(await session.generate(options)).toEqual(await undisturbed(before, options));
      held.push(backends[0]?.memory().caches ?? 0);
    }
  }
  expect(Math.max(...held)).toBeLessThanOrEqual(60 + 30);
  const read = backends[0]?.runs.flat().reduce((a, b) => a + b, 0) ?? 0;
  expect(read).toBeGreaterThan(4 * (25 + 5));
  await policy.dispose();
});
