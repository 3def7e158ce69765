import fc from "fast-check";
import { expect, test } from "vitest";
import type { CompiledGrammar } from "./grammar.ts";
import { replayGrammar } from "./replay-grammar.ts";

const VOCABULARY = 70;

function maskOf(ids: readonly number[]): Uint32Array {
  const mask = new Uint32Array(Math.ceil(VOCABULARY / 32));
  for (const id of ids) mask[id >> 5] = (mask[id >> 5] as number) | (1 << (id & 31));
  return mask;
}

/** A grammar that allows one set of ids after another, and remembers what it was asked. */
function grammarOf(sets: readonly (readonly number[] | null)[]) {
  const budgets: number[] = [];
  const accepted: number[] = [];
  let disposed = 0;
  const grammar = {
    createMatcher: () => ({
      nextMask: (budget: number) => {
        const set = sets[budgets.length] ?? null;
        budgets.push(budget);
        return set === null ? null : maskOf(set);
      },
      accept: (id: number) => void accepted.push(id),
      dispose: () => void (disposed += 1),
    }),
  } as unknown as CompiledGrammar;
  return { grammar, budgets, accepted, disposed: () => disposed };
}

const OPTIONS = { tokenBudget: 9, vocabularySize: VOCABULARY };

test("a replay returns the allowed ids of every token, in ascending order", () => {
  const sets = [[0, 31, 32, 69], null, [63, 64]];
  const { grammar, budgets, accepted, disposed } = grammarOf(sets);
  expect(replayGrammar(grammar, [32, 5, 64], OPTIONS)).toEqual(sets);
  // The budget is what was left, and the last token, which may be a stop token, is not accepted.
  expect(budgets).toEqual([9, 8, 7]);
  expect(accepted).toEqual([32, 5]);
  expect(disposed()).toBe(1);
});

test("tokens with equal masks share one list", () => {
  const { grammar } = grammarOf([[1, 5], [2], [1, 5], null, [1, 5, 6]]);
  const lists = replayGrammar(grammar, [1, 2, 5, 9, 6], OPTIONS);
  expect(lists[2]).toBe(lists[0]);
  expect(lists).toEqual([[1, 5], [2], [1, 5], null, [1, 5, 6]]);
});

test("ids beyond the vocabulary are left out, whatever the mask says", () => {
  const { grammar } = grammarOf([[1, 49, 50, 69]]);
  expect(replayGrammar(grammar, [1], { ...OPTIONS, vocabularySize: 50 })).toEqual([[1, 49]]);
});

test("any set of ids comes back from its mask", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.integer({ min: 0, max: VOCABULARY - 1 }), { minLength: 1 }),
      (ids) => {
        const { grammar } = grammarOf([ids]);
        const sorted = ids.toSorted((a, b) => a - b);
        expect(replayGrammar(grammar, ids.slice(0, 1), OPTIONS)).toEqual([sorted]);
      },
    ),
  );
});

test("a token that the grammar forbids is refused by index, and the matcher is disposed", () => {
  for (const id of [4, 36, 68, 1000]) {
    const { grammar, disposed } = grammarOf([null, [5, 37, 69]]);
    expect(() => replayGrammar(grammar, [1, id], OPTIONS)).toThrow(
      expect.objectContaining({
        code: "INVALID_ARGUMENT",
        message: expect.stringContaining(`token ${id} at index 1`) as string,
      }) as object,
    );
    expect(disposed()).toBe(1);
  }
});
