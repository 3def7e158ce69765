import { expect, test } from "vitest";
import { seeded } from "../seeded.fixture.ts";
import { linearised, type Piece, spliced, type ToldAttempt } from "./retelling.ts";

/** A capital ends the task. */
const attempt = (word: string, isSuccess: boolean): ToldAttempt => ({
  id: word,
  actions: word.split(""),
  revocable: word.search(/[A-Z]|$/),
  isSuccess,
});

test("a revision leaves the failure at its first other turn, of the couple that shares most", () => {
  const attempts = [attempt("xa", false), attempt("abx", false), attempt("abc", true)];
  expect(spliced(attempts)).toEqual([
    { attempt: "abx", from: 0, to: 3 },
    { attempt: "abc", from: 2, to: 3 },
  ]);
  expect(spliced(attempts.slice(0, 2))).toBeNull();
  expect(spliced(attempts.slice(2))).toBeNull();
  // An answer cannot be taken back.
  expect(spliced([attempt("abX", false), attempt("abc", true)])).toBeNull();
  // A failure that ends where the success goes on did nothing wrong that could be told.
  expect(spliced([attempt("ab", false), attempt("abc", true)])).toBeNull();
});

test("a search is told branch by branch, each from where it was left, the shortest success last", () => {
  const attempts = [
    ...[attempt("abx", false), attempt("aby", false), attempt("abx", false), attempt("z", false)],
    ...[attempt("abcde", true), attempt("acd", true)],
  ];
  expect(linearised(attempts, 3)).toEqual([
    { attempt: "abx", from: 0, to: 3 },
    { attempt: "aby", from: 2, to: 3 },
    { attempt: "z", from: 0, to: 1 },
    { attempt: "acd", from: 1, to: 3 },
  ]);
  expect(linearised([attempt("abX", false), attempt("acd", true)], 3)).toEqual([
    { attempt: "abX", from: 0, to: 2 },
    { attempt: "acd", from: 1, to: 3 },
  ]);
  expect(linearised([attempt("X", false), attempt("acd", true)], 3)).toBeNull();
  expect(linearised(attempts, 1)?.map((piece) => piece.attempt)).toEqual(["abx", "acd"]);
  expect(linearised(attempts.slice(0, 4), 3)).toBeNull();
  expect(linearised(attempts.slice(4), 3)).toBeNull();
});

test("whatever is told begins where something told before, or the task, stood", () => {
  const random = seeded(9);
  for (let trial = 0; trial < 200; trial += 1) {
    const attempts = Array.from({ length: 6 }, (_, i) => ({
      id: `${i}`,
      actions: Array.from({ length: 1 + Math.floor(random() * 4) }, () =>
        random() < 0.6 ? "a" : "b",
      ),
      isSuccess: random() < 0.3,
      revocable: 4,
    })).map((one) => ({ ...one, revocable: one.actions.length }));
    const byId = new Map(attempts.map((one) => [one.id, one]));
    for (const pieces of [spliced(attempts), linearised(attempts, 4)]) {
      const reached = new Set([""]);
      for (const { attempt: id, from, to } of pieces ?? ([] as Piece[])) {
        const { actions = [] } = byId.get(id) ?? {};
        expect(reached.has(actions.slice(0, from).join(""))).toBe(true);
        expect(to).toBeGreaterThan(from);
        for (let turn = from; turn < to; turn += 1) {
          reached.add(actions.slice(0, turn + 1).join(""));
        }
      }
      const ends = (pieces ?? []).slice(-1).map(({ attempt: id, to }) => {
        const { actions = [], isSuccess = false } = byId.get(id) ?? {};
        return isSuccess && to === actions.length;
      });
      expect(ends.every(Boolean)).toBe(true);
    }
  }
});
