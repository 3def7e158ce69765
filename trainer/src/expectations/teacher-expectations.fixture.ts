/** Expectations of recipes that start from the demonstrations of several teachers. */
import { expect } from "vitest";
import {
  at,
  type Check,
  easy,
  type Expectation,
  keepsSuccesses,
  learnsInTurn,
  learnsTurns,
  numbersOf,
  paysProgress,
  rewardedOf,
  startsFromDemonstrations,
} from "./recipe-checks.fixture.ts";

/** Every teacher demonstrates every task once, and their success rates differ. */
const severalTeachers: Check = (records) => {
  const { groups, state } = at(records, 0);
  const teachers = state.teacher as readonly number[];
  expect(teachers.length).toBeGreaterThan(1);
  expect(groups.every(({ trajectories }) => trajectories.length === teachers.length)).toBe(true);
  const rates = teachers.map(
    (_, i) =>
      groups.filter(({ trajectories }) => trajectories[i]?.verification.success === true).length,
  );
  expect(new Set(rates).size).toBeGreaterThan(1);
};

/** Turns with failed calls are not learned, even if the whole rollout failed. */
const masksFailedTurns: Check = learnsTurns(0, (trajectory, turn) =>
  (trajectory.turns[turn]?.toolResults ?? []).every(({ ok }) => ok),
);

export const TEACHER_EXPECTATIONS: { readonly [recipe: string]: Expectation } = {
  "chain-of-agents": {
    differs: [startsFromDemonstrations, severalTeachers, keepsSuccesses, masksFailedTurns],
  },
  dirl: {
    differs: [
      startsFromDemonstrations,
      severalTeachers,
      keepsSuccesses,
      learnsInTurn("tokens", "tokens", "rewards"),
      easy(0),
    ],
  },
  "embodied-r1": {
    env: "form",
    differs: [startsFromDemonstrations, severalTeachers, paysProgress],
  },
  orchard: {
    differs: [
      startsFromDemonstrations,
      severalTeachers,
      masksFailedTurns,
      (records) => {
        const failed = rewardedOf(at(records, 0)).filter(
          ({ trajectory, lossMask }) =>
            !trajectory.verification.success && lossMask.flat().some(Boolean),
        );
        expect(failed.length).toBeGreaterThan(0);
        expect(numbersOf(at(records, 0)).result.loss).toBeGreaterThan(0);
      },
    ],
  },
};
