/** Rows in blocks against a twin that keeps every row separately, as a list of tokens. */
import { WaggleError } from "@waggle/protocol";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { DecoderCache, DecoderRow, RowResult } from "../decoder-backend.ts";
import { CpuSession } from "./cpu-session.ts";
import {
  REMEMBERED_VOCABULARY,
  REMEMBERING_CONFIG,
  rememberedNext,
  RememberingDevice,
  rememberingStates,
} from "./remembering-device.fixture.ts";
import { layoutOf } from "./state-layout.ts";

const MAX_POSITIONS = 700;
const MOST_LIKELY = { temperature: 1, topK: 1, topP: 1 };

function openSession(
  hasConvolution: boolean,
  copiesOutputs = false,
  minSharedLength = Number.POSITIVE_INFINITY,
): { device: RememberingDevice; session: CpuSession } {
  const device = new RememberingDevice(copiesOutputs);
  const fed = { program: device.program, fed: [] };
  const session = new CpuSession({
    device,
    programs: { packed: fed, branches: () => fed },
    adapter: [],
    config: REMEMBERING_CONFIG,
    layouts: rememberingStates(hasConvolution).map(layoutOf),
    maxPositions: MAX_POSITIONS,
    maxRunTokens: 200,
    maxRunScores: 100,
    maxRows: 32,
    minSharedLength,
    onRelease: () => undefined,
  });
  return { device, session };
}

const sample = (cache: DecoderCache, tokenIds: readonly number[]): DecoderRow => ({
  cache,
  tokenIds,
  output: { kind: "sample", distribution: MOST_LIKELY, uniform: 0, allowed: null },
});

const run = (session: CpuSession, rows: readonly DecoderRow[]): readonly RowResult[] => {
  const results = session.run(rows);
  if (results instanceof Promise)
    throw new Error("a synchronous device must return results synchronously");
  return results;
};

const prompt = (length: number, seed: number): number[] =>
  Array.from({ length }, (_, i) => (i * 7 + seed * 13 + 3) % REMEMBERED_VOCABULARY);

type Step =
  | { readonly kind: "create" }
  | {
      readonly kind: "read";
      readonly which: readonly number[];
      readonly lengths: readonly number[];
    }
  | { readonly kind: "step"; readonly which: readonly number[]; readonly times: number }
  | { readonly kind: "fork" | "truncate"; readonly which: number; readonly share: number }
  | { readonly kind: "dispose"; readonly which: number };

const place = fc.nat(1000);
const share = fc.double({ min: 0, max: 1, noNaN: true });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant("create" as const) }),
  fc.record({
    kind: fc.constant("read" as const),
    which: fc.array(place, { minLength: 1, maxLength: 6 }),
    lengths: fc.array(fc.integer({ min: 1, max: 150 }), { minLength: 6, maxLength: 6 }),
  }),
  fc.record({
    kind: fc.constant("step" as const),
    which: fc.array(place, { minLength: 1, maxLength: 8 }),
    times: fc.integer({ min: 1, max: 5 }),
  }),
  fc.record({ kind: fc.constantFrom("fork" as const, "truncate" as const), which: place, share }),
  fc.record({ kind: fc.constant("dispose" as const), which: place }),
);

/** A cache and the tokens that it should hold. */
type Twin = { readonly cache: DecoderCache; tokenIds: number[] };

class Twins {
  readonly session: CpuSession;
  readonly hasConvolution: boolean;
  readonly sampled: (number | undefined)[] = [];
  readonly expected: number[] = [];
  #twins: Twin[] = [];

  constructor(session: CpuSession, hasConvolution: boolean) {
    this.session = session;
    this.hasConvolution = hasConvolution;
  }

  apply(step: Step): void {
    switch (step.kind) {
      case "create":
        this.#twins.push({ cache: this.session.createCache(), tokenIds: [] });
        return;
      case "read":
        return this.#read(step.which, step.lengths);
      case "step":
        for (let time = 0; time < step.times; time++)
          this.#read(step.which, [1, 1, 1, 1, 1, 1, 1, 1]);
        return;
      case "fork": {
        const source = this.#pick(step.which);
        if (source === undefined) return;
        const length = Math.floor(step.share * source.tokenIds.length);
        const cache = this.session.fork(source.cache, length) as DecoderCache;
        this.#twins.push({ cache, tokenIds: this.#cut(source, length) });
        return;
      }
      case "truncate": {
        const twin = this.#pick(step.which);
        if (twin === undefined) return;
        const length = Math.floor(step.share * twin.tokenIds.length);
        twin.cache.truncate(length);
        twin.tokenIds = this.#cut(twin, length);
        return;
      }
      case "dispose": {
        const twin = this.#pick(step.which);
        twin?.cache.dispose();
        this.#twins = this.#twins.filter((other) => other !== twin);
      }
    }
  }

  /** `[cache, twin]` lengths. */
  lengths(): [number[], number[]] {
    return [
      this.#twins.map(({ cache }) => cache.length),
      this.#twins.map(({ tokenIds }) => tokenIds.length),
    ];
  }

  dispose(): void {
    for (const { cache } of this.#twins) cache.dispose();
  }

  #pick(which: number): Twin | undefined {
    return this.#twins[which % this.#twins.length];
  }

  #cut({ tokenIds }: Twin, length: number): number[] {
    return this.hasConvolution && length < tokenIds.length ? [] : tokenIds.slice(0, length);
  }

  #read(which: readonly number[], lengths: readonly number[]): void {
    const twins = [...new Set(which.map((index) => this.#pick(index)))].filter(
      (twin) => twin !== undefined,
    );
    const rows: DecoderRow[] = [];
    const read: Twin[] = [];
    for (const [index, twin] of twins.entries()) {
      const tokenIds = prompt(lengths[index] as number, twin.tokenIds.length + index);
      if (twin.tokenIds.length + tokenIds.length > MAX_POSITIONS) continue;
      rows.push(sample(twin.cache, tokenIds));
      read.push(twin);
      twin.tokenIds = [...twin.tokenIds, ...tokenIds];
    }
    if (rows.length === 0) return;
    const results = run(this.session, rows);
    this.sampled.push(...results.map(({ sampled }) => sampled?.tokenId));
    this.expected.push(...read.map(({ tokenIds }) => rememberedNext(tokenIds)));
  }
}

describe.each([
  ["keys and values", false, false, undefined],
  ["keys and values with little room", false, true, undefined],
  ["an additional state without positions", true, false, undefined],
  ["keys and values, with branches that share them", false, false, 3],
])("caches of %s", (_, hasConvolution, copiesOutputs, sharedFrom) => {
  test("hold their own tokens after any operations on them and on others", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), async (steps) => {
        const { device, session } = openSession(hasConvolution, copiesOutputs, sharedFrom);
        const twins = new Twins(session, hasConvolution);
        twins.apply({ kind: "create" });
        for (const each of steps) {
          twins.apply(each);
          const [actual, expected] = twins.lengths();
          expect(actual).toEqual(expected);
        }
        expect(twins.sampled).toEqual(twins.expected);
        twins.dispose();
        await session.release();
        expect(device.heldBytes).toBe(0);
      }),
      { numRuns: 300 },
    );
  });

  test("stay intact if memory runs out while they grow", async () => {
    const { device, session } = openSession(hasConvolution, copiesOutputs, sharedFrom);
    const caches = [1, 2, 3].map(() => session.createCache());
    const tokens = caches.map((_, seed) => prompt(60, seed));
    for (const [row, cache] of caches.entries())
      run(session, [sample(cache, tokens[row] as number[])]);
    device.limitBytes = device.heldBytes + 100;
    let error: unknown;
    try {
      run(session, [sample(caches[0] as DecoderCache, prompt(100, 9))]);
    } catch (caught) {
      error = caught;
    }
    expect(WaggleError.is(error, "OUT_OF_MEMORY") && error.retryable).toBe(true);
    device.limitBytes = Number.POSITIVE_INFINITY;
    caches[0]?.dispose();
    for (const row of [1, 2]) {
      const [result] = run(session, [sample(caches[row] as DecoderCache, [row])]);
      expect(result?.sampled?.tokenId).toBe(rememberedNext([...(tokens[row] as number[]), row]));
    }
    await session.release();
    expect(device.heldBytes).toBe(0);
  });
});

describe("one run", () => {
  const grow = (session: CpuSession, length: number, seed: number): DecoderCache => {
    const cache = session.createCache();
    for (let read = 0; read < length; read += 200) {
      run(session, [sample(cache, prompt(Math.min(200, length - read), seed))]);
    }
    return cache;
  };

  test("reads rows of different lengths, and rows that are not adjacent", () => {
    const { device, session } = openSession(false);
    const caches = [30, 40, 50, 60, 20].map((length, seed) => grow(session, length, seed));
    device.runs.length = 0;
    run(
      session,
      [4, 0, 2].map((row) => sample(caches[row] as DecoderCache, [row])),
    );
    expect(device.runs).toEqual([3]);
  });

  test("reads several whole sequences side by side", () => {
    const { device, session } = openSession(false);
    run(
      session,
      [9, 31, 17].map((length, seed) => sample(session.createCache(), prompt(length, seed))),
    );
    expect(device.runs).toEqual([3]);
  });

  test("does not give short rows as much room as much longer ones", () => {
    const { device, session } = openSession(false);
    const caches = [20, 600].map((length, seed) => grow(session, length, seed));
    const before = session.cacheBytes;
    device.runs.length = 0;
    run(
      session,
      caches.map((cache) => sample(cache, [1])),
    );
    expect(device.runs).toEqual([1, 1]);
    expect(session.cacheBytes).toBe(before);
  });

  test("reads branches of one prefix together, others separately, and stores the prefix once", async () => {
    const { device, session } = openSession(false, false, 100);
    const trunks = [300, 200].map((length, seed) => grow(session, length, seed));
    const before = session.cacheBytes;
    const branches = trunks.flatMap((trunk) =>
      [1, 2, 3].map(() => session.fork(trunk, trunk.length) as DecoderCache),
    );
    expect(session.cacheBytes).toBeLessThan(before);
    device.runs.length = 0;
    const rows = branches.map((cache, at) => sample(cache, [at]));
    const sampled = run(session, rows).map((result) => result.sampled?.tokenId);
    expect(device.runs).toEqual([3, 3]);
    expect(sampled).toEqual(
      branches.map((_, at) => {
        const [length, seed] = at < 3 ? [300, 0] : [200, 1];
        return rememberedNext([...prompt(200, seed), ...prompt(length - 200, seed), at]);
      }),
    );
    for (const cache of [...trunks, ...branches]) cache.dispose();
    expect(session.cacheBytes).toBe(0);
    await session.release();
    expect(device.heldBytes).toBe(0);
  });

  test("is bound once while the same rows repeat", () => {
    const { device, session } = openSession(false);
    let bound = 0;
    const { program } = device;
    const bind = program.bind.bind(program);
    (program as { bind: typeof bind }).bind = (inputs, outputs) => {
      bound++;
      return bind(inputs, outputs);
    };
    const caches = [3, 3, 3, 3].map((length, seed) => grow(session, length, seed));
    bound = 0;
    for (let time = 0; time < 20; time++) {
      run(
        session,
        caches.slice(0, 2).map((cache) => sample(cache, [1])),
      );
      run(
        session,
        caches.slice(2).map((cache) => sample(cache, [1])),
      );
    }
    expect(bound).toBe(2);
  });

  test.each([
    ["no rows", () => [], "1 to 32 rows"],
    ["an empty row", (cache: DecoderCache) => [sample(cache, [])], "1 to 200 tokens"],
    [
      "too many tokens",
      (cache: DecoderCache) => [sample(cache, prompt(201, 0))],
      "1 to 200 tokens",
    ],
    [
      "too many scores",
      (cache: DecoderCache): DecoderRow[] => {
        const targets = prompt(101, 0);
        return [
          {
            cache,
            tokenIds: targets,
            output: { kind: "score", distribution: MOST_LIKELY, targets },
          },
        ];
      },
      "at most 100 scored tokens, got 101",
    ],
  ])("of %s is refused", (_, rows, message) => {
    const { session } = openSession(false);
    expect(() => session.run(rows(session.createCache()))).toThrow(message);
  });

  test("beyond the context is refused, also for a row that has room and continues in place", () => {
    const { session } = openSession(false);
    const full = grow(session, MAX_POSITIONS, 0);
    const fork = session.fork(full, MAX_POSITIONS) as DecoderCache; // with room for one more
    fork.truncate(MAX_POSITIONS - 2);
    run(session, [sample(fork, [1])]);
    run(session, [sample(fork, [2])]);
    expect(() => session.run([sample(fork, [3])])).toThrow("at most 700 tokens, got 701");
  });

  test("beyond the context is refused", () => {
    const { session } = openSession(false);
    const cache = grow(session, MAX_POSITIONS, 1);
    expect(() => session.run([sample(cache, [1])])).toThrow("at most 700 tokens, got 701");
  });
});
