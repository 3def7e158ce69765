import { mulberry32 } from "@waggle/protocol";
import { expect, test } from "vitest";
import { linearized, type Piece, spliced, type ToldRollout } from "./retelling.ts";

/** A capital ends the task. */
const rollout = (word: string, isSuccess: boolean): ToldRollout => ({
  id: word,
  actions: word.split(""),
  revocable: word.search(/[A-Z]|$/),
  isSuccess,
});

test("a revision leaves the failure at its first different turn, in the pair with the longest prefix", () => {
  const rollouts = [rollout("xa", false), rollout("abx", false), rollout("abc", true)];
  expect(spliced(rollouts)).toEqual([
    { rollout: "abx", from: 0, to: 3 },
    { rollout: "abc", from: 2, to: 3 },
  ]);
  expect(spliced(rollouts.slice(0, 2))).toBeNull();
  expect(spliced(rollouts.slice(2))).toBeNull();
  // An answer cannot be taken back.
  expect(spliced([rollout("abX", false), rollout("abc", true)])).toBeNull();
  // A failure that ends where the success goes on did nothing wrong that could be told.
  expect(spliced([rollout("ab", false), rollout("abc", true)])).toBeNull();
});

test("a search is retold branch by branch, with the shortest success last", () => {
  const rollouts = [
    rollout("abx", false),
    rollout("aby", false),
    rollout("abx", false),
    rollout("z", false),
    rollout("abcde", true),
    rollout("acd", true),
  ];
  expect(linearized(rollouts, 3)).toEqual([
    { rollout: "abx", from: 0, to: 3 },
    { rollout: "aby", from: 2, to: 3 },
    { rollout: "z", from: 0, to: 1 },
    { rollout: "acd", from: 1, to: 3 },
  ]);
  expect(linearized([rollout("abX", false), rollout("acd", true)], 3)).toEqual([
    { rollout: "abX", from: 0, to: 2 },
    { rollout: "acd", from: 1, to: 3 },
  ]);
  expect(linearized([rollout("X", false), rollout("acd", true)], 3)).toBeNull();
  expect(linearized(rollouts, 1)?.map((piece) => piece.rollout)).toEqual(["abx", "acd"]);
  expect(linearized(rollouts.slice(0, 4), 3)).toBeNull();
  expect(linearized(rollouts.slice(4), 3)).toBeNull();
});

test("every retold part starts at a state that was retold before, or at the task", () => {
  const random = mulberry32(9);
  for (let trial = 0; trial < 200; trial += 1) {
    const rollouts = Array.from({ length: 6 }, (_, i) => ({
      id: `${i}`,
      actions: Array.from({ length: 1 + Math.floor(random() * 4) }, () =>
        random() < 0.6 ? "a" : "b",
      ),
      isSuccess: random() < 0.3,
      revocable: 4,
    })).map((one) => ({ ...one, revocable: one.actions.length }));
    const byId = new Map(rollouts.map((one) => [one.id, one]));
    for (const pieces of [spliced(rollouts), linearized(rollouts, 4)]) {
      const reached = new Set([""]);
      for (const { rollout: id, from, to } of pieces ?? ([] as Piece[])) {
        const { actions = [] } = byId.get(id) ?? {};
        expect(reached.has(actions.slice(0, from).join(""))).toBe(true);
        expect(to).toBeGreaterThan(from);
        for (let turn = from; turn < to; turn += 1) {
          reached.add(actions.slice(0, turn + 1).join(""));
        }
      }
      const ends = (pieces ?? []).slice(-1).map(({ rollout: id, to }) => {
        const { actions = [], isSuccess = false } = byId.get(id) ?? {};
        return isSuccess && to === actions.length;
      });
      expect(ends.every(Boolean)).toBe(true);
    }
  }
});
