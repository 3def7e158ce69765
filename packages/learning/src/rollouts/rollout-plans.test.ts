import fc from "fast-check";
import { expect, test } from "vitest";
import { expectClose } from "../close.fixture.ts";
import { seeded } from "../seeded.fixture.ts";
import { opponentPool } from "../states/opponent-pool.ts";
import { drawWorld } from "./env-random.ts";
import { goesOn, improvementRewards, successAtTrial } from "./multi-trial.ts";
import { perturbations } from "./noise-seeds.ts";
import { continuedBy, isCutHere, tokenStaleness } from "./partial-rollout.ts";
import { plannedMatches, solvableProposals } from "./self-play.ts";
import { actorMasks, takeoverPenalties } from "./takeover.ts";

test("trials end at success or at their number, and are paid for what they improve", () => {
  expect(goesOn([0.2], 3, true)).toBe(true);
  expect(goesOn([0.2, 1], 3, true)).toBe(false);
  expect(goesOn([0.2, 1], 3, false)).toBe(true);
  expect(goesOn([0, 0, 0], 3, true)).toBe(false);
  expectClose(improvementRewards([0.2, 0.1, 0.9, 0.9]), [0.2, 0, 0.7, 0]);
  expect(successAtTrial([[0, 1], [1]], 0)).toBe(0.5);
  expect(successAtTrial([[0, 1], [1]], 1)).toBe(1);
  expect(successAtTrial([[0, 1], [1]], 5)).toBe(0);
});

test("worlds stay in their ranges and depend on the seed alone", () => {
  const ranges = {
    toolBudget: { from: 1, to: 3 },
    turnBudget: { from: 4, to: 4 },
    faultRate: { from: 0.1, to: 0.3 },
  };
  const worlds = Array.from({ length: 200 }, (_, seed) => drawWorld(ranges, seeded(seed)));
  expect(new Set(worlds.map(({ toolBudget }) => toolBudget))).toEqual(new Set([1, 2, 3]));
  expect(worlds.every(({ turnBudget }) => turnBudget === 4)).toBe(true);
  expect(worlds.every(({ faultRate }) => faultRate >= 0.1 && faultRate <= 0.3)).toBe(true);
  expect(drawWorld(ranges, seeded(5))).toEqual(worlds[5]);
});

test("a resumed run has contiguous tokens and several versions", () => {
  expect(isCutHere({ tokens: 10, turns: 1 }, { tokens: 10, turns: 4 })).toBe(true);
  expect(isCutHere({ tokens: 9, turns: 3 }, { tokens: 10, turns: 4 })).toBe(false);
  let pieces = continuedBy([], { version: 3, start: 0, end: 2 });
  pieces = continuedBy(pieces, { version: 3, start: 2, end: 3 });
  pieces = continuedBy(pieces, { version: 5, start: 3, end: 5 });
  expect(pieces).toEqual([
    { version: 3, start: 0, end: 3 },
    { version: 5, start: 3, end: 5 },
  ]);
  expect(tokenStaleness(pieces, 6)).toEqual([3, 3, 3, 1, 1]);
});

test.each([
  ["a gap", { version: 1, start: 3, end: 4 }],
  ["tokens sampled twice", { version: 1, start: 1, end: 4 }],
  ["an older version", { version: 0, start: 2, end: 4 }],
])("%s in a resumed run is refused", (_, next) => {
  expect(() => continuedBy([{ version: 1, start: 0, end: 2 }], next)).toThrow(
    expect.objectContaining({ code: "INVALID_ARGUMENT" }),
  );
});

test("mirrored perturbations share a seed, and all seeds of all steps differ", () => {
  const [first, second, third] = perturbations(4, 9, 0);
  expect([first!.seed === second!.seed, first!.sign, second!.sign]).toEqual([true, 1, -1]);
  expect(third!.seed).not.toBe(first!.seed);
  const seeds = Array.from({ length: 50 }, (_, step) => perturbations(20, 9, step, false)).flat();
  expect(new Set(seeds.map(({ seed }) => seed)).size).toBe(1000);
  expect(() => perturbations(3, 9, 0)).toThrow(
    expect.objectContaining({ code: "INVALID_ARGUMENT" }),
  );
});

test("matches against itself need no pool, sides alternate", () => {
  const matches = plannedMatches(4, opponentPool(3), 0, seeded(1));
  expect(matches.map(({ opponent, side }) => [opponent, side])).toEqual([
    [null, 0],
    [null, 1],
    [null, 0],
    [null, 1],
  ]);
});

test("the solver learns from answerable proposals that it solved sometimes", () => {
  expect(
    solvableProposals([
      { isAnswerable: true, solverRewards: [1, 0] },
      { isAnswerable: true, solverRewards: [1, 1] },
      { isAnswerable: false, solverRewards: [1, 0] },
      { isAnswerable: true, solverRewards: [] },
    ]),
  ).toEqual([0]);
});

test("a person's tokens are imitated, never a sample of the policy", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.boolean(), fc.constantFrom("policy", "person", "environment" as const))),
      (tokens) => {
        const lossMask = tokens.map(([kept]) => kept);
        const actors = tokens.map(([, actor]) => actor as "policy" | "person" | "environment");
        const { policy, imitation } = actorMasks(lossMask, actors);
        for (const [t, [kept, actor]] of tokens.entries()) {
          expect(policy[t] && imitation[t]).toBe(false);
          expect(policy[t] || imitation[t]).toBe(kept && actor !== "environment");
        }
      },
    ),
  );
  expectClose(takeoverPenalties(["policy", "policy", "person", "policy"], 0.5), [0, -0.5, 0, 0]);
});
