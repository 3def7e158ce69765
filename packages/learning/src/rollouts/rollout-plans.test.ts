import fc from "fast-check";
import { expect, test } from "vitest";
import { expectClose } from "../close.fixture.ts";
import { seeded } from "../seeded.fixture.ts";
import { opponentPool } from "../states/opponent-pool.ts";
import { drawWorld } from "./env-random.ts";
import { plannedGroups } from "./group-plan.ts";
import { strataOfModes } from "./mode-strata.ts";
import { goesOn, improvementRewards, successAtTrial } from "./multi-trial.ts";
import { perturbations } from "./noise-seeds.ts";
import { pairedGroups } from "./paired-tool.ts";
import { continuedBy, isCutHere, tokenStaleness } from "./partial-rollout.ts";
import { pivotPlan } from "./pivot-plan.ts";
import { lastGoodTurn, nextShare, replayedTurns } from "./prefix-replay.ts";
import { reflectionMask, reflectionReward, retryDecision, withoutGuidance } from "./retry-plan.ts";
import { plannedMatches, solvableProposals } from "./self-play.ts";
import { actorMasks, takeoverPenalties } from "./takeover.ts";
import { roleMask, teamTurns } from "./team-order.ts";

test("every rollout of a plan has a seed of its own, and the same plan the same seeds", () => {
  const plan = plannedGroups(["a", "b", "a"], 8, 7);
  expect(plan).toHaveLength(24);
  expect(new Set(plan.map(({ seed }) => seed)).size).toBe(24);
  expect(new Set(plan.map(({ group }) => group)).size).toBe(3);
  expect(plannedGroups(["a", "b", "a"], 8, 7)).toEqual(plan);
  expect(plannedGroups(["a"], 1, 8)[0]!.seed).not.toBe(plan[0]!.seed);
});

test("a pair of groups differs in its tools only", () => {
  const plan = pairedGroups(["a"], 3, 1);
  const seedsOf = (hasTools: boolean) =>
    plan.filter((rollout) => rollout.hasTools === hasTools).map(({ seed }) => seed);
  expect(seedsOf(true)).toEqual(seedsOf(false));
  expect(new Set(plan.map(({ group }) => group))).toEqual(new Set(["a#0+tools", "a#0-tools"]));
});

test("each mode has its least number, the policy chooses the rest", () => {
  expect(strataOfModes(["think", "act"], 5, 2)).toEqual(["think", "think", "act", "act", null]);
  expect(() => strataOfModes(["think", "act"], 3, 2)).toThrow(
    expect.objectContaining({ code: "INVALID_ARGUMENT" }),
  );
});

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

test("pivots stay within the budget of actions, and unanimous turns come seldom", () => {
  const turns = [null, 0, 0.25].map((lastVariance, turn) => ({ run: "r", turn, lastVariance }));
  const plans = Array.from({ length: 300 }, (_, seed) => pivotPlan(turns, 4, 7, seeded(seed)));
  expect(plans.every((plan) => plan.length === 1 && plan[0]!.actions === 4)).toBe(true);
  const unanimous = plans.filter((plan) => plan[0]!.turn === 1).length;
  expect(unanimous).toBeGreaterThan(0);
  expect(unanimous).toBeLessThan(45);
});

test("prefixes shrink with success and grow with failure, within the run", () => {
  expect([0, 0.5, 1].map((share) => replayedTurns(5, share))).toEqual([0, 2, 4]);
  expectClose([nextShare(0.5, 0.9), nextShare(0.5, 0.4), nextShare(0.5, 0)], [0.4, 0.5, 0.6]);
  expectClose([nextShare(0, 1), nextShare(1, 0)], [0, 1]);
  expect(lastGoodTurn([0.8, 0.5, 0, 0])).toBe(1);
  expect(lastGoodTurn([0, 0])).toBe(-1);
});

test("no second attempt where the first succeeds; the reflection alone is learned and paid", () => {
  expect(retryDecision(1, null)).toEqual({ kind: "none" });
  expect(retryDecision(0, null)).toEqual({ kind: "reflect" });
  expect(retryDecision(0.5, "read the error")).toEqual({
    kind: "guide",
    guidance: "read the error",
  });
  expect([reflectionReward(1), reflectionReward(0.4)]).toEqual([1, 0]);
  const mask = [true, true, false, true, true];
  expect(reflectionMask(mask, { start: 1, end: 4 })).toEqual([false, true, false, true, false]);
});

test("guidance is removed from what is stored", () => {
  const parts = ["task", "hint", "answer"].map((text) => ({ text, isGuidance: text === "hint" }));
  expect(withoutGuidance(parts).map(({ text }) => text)).toEqual(["task", "answer"]);
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

test("in a sequence each sees those before it; at once nobody sees the others of the round", () => {
  const roles = ["pioneer", "observer"];
  const sees = (kind: "sequence" | "simultaneous") =>
    teamTurns({ kind, roles }, 2).map((turn) => turn.sees.length);
  expect(sees("sequence")).toEqual([0, 1, 2, 3]);
  expect(sees("simultaneous")).toEqual([0, 0, 2, 2]);
  const rounds = teamTurns({ kind: "rounds", rounds: [["a"], ["b", "a"]] }, 3);
  expect(rounds.map(({ role, round, sees: seen }) => [role, round, seen.length])).toEqual([
    ["a", 0, 0],
    ["b", 1, 1],
    ["a", 1, 1],
  ]);
});

test("a role trains on its own tokens alone", () => {
  expect(roleMask(["a", null, "b", "a"], "a")).toEqual([true, false, false, true]);
  expect(() => roleMask(["a"], "c")).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
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
