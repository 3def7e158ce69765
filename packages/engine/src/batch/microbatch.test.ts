import type { TrainSequence } from "@waggle/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { packMicrobatches } from "./microbatch.ts";
import type { Microbatch } from "./microbatch.ts";
import { createOnnxEngine } from "../onnx/onnx-engine.ts";
import {
  largestNormError,
  loudAdapter,
  loudWeights,
  randomDerivatives,
  TINY,
} from "../contract/train-engine.fixture.ts";

/** Wide enough that attention does not dominate. */
const MODEL = { ...TINY, contextLength: 512, feedForwardSize: 300 };
const ids = (length: number, first: number): number[] =>
  Array.from({ length }, (_, token) => (first + token * 7) % TINY.vocabularySize);
/** A sequence of which `length` tokens are read: the last token is only predicted. */
const reading = (length: number, first = 0): TrainSequence => ({
  tokenIds: ids(length + 1, first),
});
const pack = (sequences: readonly TrainSequence[], maxTokens = 1024): Microbatch[] =>
  packMicrobatches({ sequences }, MODEL, maxTokens, () => true);
const padded = (microbatches: readonly Microbatch[]): number =>
  microbatches.reduce((sum, { batch, length }) => sum + batch * length, 0);
const shapes = (microbatches: readonly Microbatch[]): number[][] =>
  microbatches.map(({ batch, length }) => [batch, length]);

test("sequences of similar length stay plain rows that share masks and positions", () => {
  const microbatches = pack([reading(100, 1), reading(100, 2), reading(100, 3)]);
  expect(shapes(microbatches)).toEqual([[3, 100]]);
  expect(microbatches[0]).toMatchObject({ parents: null, positions: null });
});

test("short sequences share a row where that leaves less padding", () => {
  const microbatches = pack([100, 60, 40, 30, 70].map((length, first) => reading(length, first)));
  expect(shapes(microbatches)).toEqual([[3, 100]]);
  const { parents, positions, asked, rows } = microbatches[0] as Microbatch;
  // positions restart for each of the five
  expect(positions?.filter((position) => position === 0)).toHaveLength(5);
  expect([...(parents ?? [])].filter((parent) => parent === -1)).toHaveLength(5);
  expect(asked.flat()).toHaveLength(300);
  expect(new Set(rows).size).toBe(300);
});

test("a shared prompt is read once, its last token once for each distinct continuation", () => {
  const prompt = ids(60, 3);
  const rollouts = [1, 2, 3, 4].map((first) => ({ tokenIds: [...prompt, ...ids(21, first)] }));
  const [microbatch, ...others] = pack(rollouts);
  expect(others).toEqual([]);
  // 60 + 4 × 20, and the last token of the prompt three more times
  expect([microbatch?.batch, microbatch?.length]).toEqual([1, 60 + 4 * 20 + 3]);
  const shared = microbatch?.asked.filter((askers) => askers.length === 4);
  expect(shared).toHaveLength(59);
});

test("sequences at different temperatures are not shared, as their tokens would be read again", () => {
  const prompt = ids(60, 3);
  const rollouts = [1, 2].map((first) => ({
    tokenIds: [...prompt, ...ids(9, first)],
    temperatures: first,
  }));
  expect(shapes(pack(rollouts))).toEqual([[2, 68]]);
});

test("long sequences with a short common prefix are not shared, as attention would cost more than it saves", () => {
  const rollouts = [1, 2, 3, 4].map((first) => ({ tokenIds: [7, ...ids(200, first)] }));
  expect(shapes(pack(rollouts))).toEqual([[4, 200]]);
});

test("tokens after the last asked token are not read, on any branch of a tree", () => {
  const tree = { tokenIds: ids(12, 1), parents: [-1, 0, 1, 2, 3, 4, 1, 6, 7, 8, 9, 10] };
  const [microbatch] = packMicrobatches(
    { sequences: [tree] },
    MODEL,
    1024,
    (_, token) => token === 3 || token === 7,
  );
  // 0, 1, 2 and 6: the ancestors of tokens 3 and 7
  expect([...(microbatch?.ids ?? [])]).toEqual([0, 1, 2, 6].map((token) => tree.tokenIds[token]));
  expect([...(microbatch?.parents ?? [])]).toEqual([-1, 0, 1, 1]);
});

test("in any batch every asked token has a row with its own path, within the token limit", () => {
  const sequence = fc
    .array(fc.tuple(fc.integer({ min: 0, max: 3 }), fc.nat(40)), { minLength: 1, maxLength: 30 })
    .map((tokens) => ({
      tokenIds: tokens.map(([id]) => id),
      // mostly chains, with occasional branches and roots
      parents: tokens.map(([, chance], token) =>
        chance > 4 ? token - 1 : Math.min(token - 1, chance - 1),
      ),
    }));
  const property = fc.property(
    fc.array(sequence, { maxLength: 12 }),
    fc.integer({ min: 1, max: 80 }),
    (sequences, maxTokens) => {
      const microbatches = pack(sequences, maxTokens);
      const found = new Set<string>();
      for (const microbatch of microbatches) {
        expect(microbatch.batch * microbatch.length <= maxTokens || microbatch.batch === 1).toBe(
          true,
        );
        for (const [row, askers] of microbatch.asked.entries()) {
          for (const { sequence: index, token } of askers) {
            found.add(`${index} ${token}`);
            const { tokenIds, parents } = sequences[index] as (typeof sequences)[number];
            const expected: number[] = [];
            for (let t = parents[token] as number; t >= 0; t = parents[t] as number) {
              expected.push(tokenIds[t] as number);
            }
            expect(pathAt(microbatch, microbatch.rows[row] as number)).toEqual(expected);
            expect(microbatch.targets[row]).toBe(tokenIds[token]);
          }
        }
        expect(new Set(microbatch.rows).size).toBe(microbatch.rows.length);
      }
      const wanted = sequences.flatMap(({ parents }, index) =>
        parents.flatMap((parent, token) => (parent < 0 ? [] : [`${index} ${token}`])),
      );
      expect(found).toEqual(new Set(wanted));
    },
  );
  fc.assert(property, { numRuns: 200, seed: 1 });
});

/** Ids from the token at a place back to its root; positions must count down. */
function pathAt({ length, ids: read, parents, positions }: Microbatch, place: number): number[] {
  const start = place - (place % length);
  const path: number[] = [];
  for (
    let at = place - start;
    at >= 0;
    at = parents === null ? at - 1 : (parents[start + at] as number)
  ) {
    path.push(read[start + at] as number);
  }
  const position = positions === null ? place - start : positions[place];
  expect(position).toBe(path.length - 1);
  return path;
}

test.each([
  ["whole, in blocks of queries", "none"],
  ["layer by layer", "layer"],
] as const)(
  "packed rows give the results of padded rows: groups with prompts, short sequences, %s",
  async (_title, checkpointing) => {
    const sequences = [
      ...[1, 2, 3, 4, 5, 6, 7].map((first) => ({
        tokenIds: [...ids(30, 2), ...ids(25 + first, first)],
      })),
      ...[8, 21, 34, 13, 60].map((length) => reading(length, length)),
    ];
    expect(padded(pack(sequences))).toBeLessThan(400);
    expect(Math.max(...pack(sequences).map(({ length }) => length))).toBeGreaterThan(192);
    const derivatives = {
      logProb: randomDerivatives(sequences, 41),
      entropy: randomDerivatives(sequences, 42),
    };
    const run = async (maxMicrobatchTokens: number) => {
      const engine = await createOnnxEngine({
        config: MODEL,
        weights: loudWeights(MODEL),
        trains: "lora",
        adapter: loudAdapter(MODEL),
        device: "cpu",
        threads: 1,
        checkpointing,
        maxMicrobatchTokens,
      });
      const { logProb } = await engine.forward({ sequences });
      await engine.backward({ sequences }, derivatives);
      const gradients = await engine.gradients();
      await engine.dispose();
      return { logProb: logProb.flatMap((values) => [...values]), gradients };
    };
    const [packed, apart] = [await run(1024), await run(1)];
    const gaps = packed.logProb.map((value, i) => Math.abs(value - (apart.logProb[i] as number)));
    expect(gaps.length).toBeGreaterThan(500);
    expect(Math.max(...gaps)).toBeLessThan(1e-5);
    expect(largestNormError(packed.gradients, apart.gradients)).toBeLessThan(1e-4);
  },
);
