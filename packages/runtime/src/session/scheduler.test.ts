import { FULL_SUPPORT } from "@waggle/protocol";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hashPrompt, openHashPolicy, sampled, undisturbed } from "./hash-policy.fixture.ts";

const plain = (sample: object) => ({ ...sample, fingerprint: "" });

describe("what a session samples", () => {
  test("equals what it samples alone, regardless of other sessions and of how runs are split", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          maxRows: fc.integer({ min: 1, max: 5 }),
          maxRunTokens: fc.integer({ min: 1, max: 20 }),
          answersLater: fc.boolean(),
          sessions: fc.array(
            fc.record({
              length: fc.integer({ min: 1, max: 60 }),
              turns: fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 3 }),
            }),
            { minLength: 1, maxLength: 7 },
          ),
        }),
        async ({ sessions, ...backend }) => {
          const { policy, backends } = await openHashPolicy(backend);
          await Promise.all(
            sessions.map(async ({ length, turns }, index) => {
              const session = await policy.createContext();
              session.append(hashPrompt(length, index));
              for (const [turn, maxTokens] of turns.entries()) {
                const before = [...session.tokenIds];
                const options = sampled(index * 10 + turn, maxTokens);
                const sample = await session.generate(options);
                const alone = await undisturbed(before, options);
                expect(plain(sample)).toEqual(plain(alone));
                session.append(hashPrompt(turn, turn));
              }
              session.dispose();
            }),
          );
          await policy.dispose();
          expect(backends[0]?.memory()).toMatchObject({ weights: 0, adapters: 0, caches: 0 });
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe("batching", () => {
  test("sessions that sample concurrently share runs, and finished ones leave immediately", async () => {
    const { policy, backends } = await openHashPolicy({ maxRows: 8 });
    await Promise.all(
      [4, 2, 4].map(async (maxTokens, index) => {
        const session = await policy.createContext();
        session.append(hashPrompt(1, index));
        await session.generate(sampled(index, maxTokens));
      }),
    );
    expect(backends[0]?.runs).toEqual([
      [1, 1, 1],
      [1, 1, 1],
      [1, 1],
      [1, 1],
    ]);
    await policy.dispose();
  });

  test("prompts that fit are read side by side in one run, longer ones in chunks", async () => {
    const { policy, backends } = await openHashPolicy({ maxRows: 8, maxRunTokens: 16 });
    await Promise.all(
      [8, 7, 20].map(async (length, index) => {
        const session = await policy.createContext();
        session.append(hashPrompt(length, index));
        await session.generate(sampled(index, 1));
      }),
    );
    expect(backends[0]?.runs).toEqual([[8, 7], [16], [4]]);
    await policy.dispose();
  });

  test("scored tokens stay within a run's score limit, other tokens need not", async () => {
    const limits = { maxRows: 8, maxRunTokens: 16, maxRunScores: 6 };
    const { policy, backends } = await openHashPolicy(limits);
    const session = await policy.createContext();
    session.append(hashPrompt(14, 9));
    const requests = [4, 3, 9].map((length, index) => ({
      tokenIds: hashPrompt(length, index),
      sampling: FULL_SUPPORT,
    }));
    const [scores] = await Promise.all([
      policy.scoreMany(requests),
      session.generate(sampled(1, 1)),
    ]);
    expect(scores).toEqual(await Promise.all(requests.map((request) => policy.score(request))));
    expect(backends[0]?.runs.slice(0, 3)).toEqual([[14], [6], [3, 2]]);
    await policy.dispose();
  });

  test("a session that joins late shares the runs of those that sample", async () => {
    const { policy, backends } = await openHashPolicy({ maxRows: 8, answersLater: true });
    const first = await policy.createContext();
    first.append([1]);
    const running = first.generate(sampled(1, 60));
    while ((backends[0]?.runs.length ?? 0) < 10) await new Promise((done) => setImmediate(done));
    const second = await policy.createContext();
    second.append([2]);
    await second.generate(sampled(2, 5));
    await running;
    const sizes = backends[0]?.runs.map((rows) => rows.length) ?? [];
    expect(sizes.filter((size) => size === 2)).toHaveLength(5);
    expect(sizes).toHaveLength(60);
    await policy.dispose();
  });
});

describe("fairness", () => {
  test("no session waits longer than one run of each other session", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 2, maxLength: 8 }),
        async (maxRows, lengths) => {
          const { policy, backends } = await openHashPolicy({ maxRows, maxRunTokens: 5 });
          const gaps = await Promise.all(
            lengths.map(async (length, index) => {
              const session = await policy.createContext();
              session.append(hashPrompt(length, index));
              const at: number[] = [];
              await session.generate({
                ...sampled(index, 40),
                onToken: () => at.push(backends[0]?.runs.length ?? 0),
              });
              return Math.max(0, ...at.slice(1).map((run, i) => run - (at[i] as number)));
            }),
          );
          // Between two of its tokens, each other session is in at most one run, and a new one reads.
          expect(Math.max(...gaps)).toBeLessThanOrEqual(lengths.length + 1);
          await policy.dispose();
        },
      ),
      { numRuns: 60 },
    );
  });

  test("the event loop has turns while a synchronous backend computes", async () => {
    const { policy } = await openHashPolicy();
    const session = await policy.createContext();
    session.append([1]);
    let turns = 0;
    let isDone = false;
    const count = () => {
      turns++;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    const end = performance.now() + 100;
    await session.generate({
      ...sampled(1, 900),
      onToken: () => {
        const until = performance.now() + 1;
        while (performance.now() < Math.min(until, end)) continue;
      },
    });
    isDone = true;
    expect(turns).toBeGreaterThan(4);
    await policy.dispose();
  });
});
