/**
 * What each recipe of the preference table does otherwise than plain imitation of demonstrations that err
 * now and then. A check must hold for its recipe and fail for that control; of a stage that learns from
 * pairs, it must fail as well where chosen and rejected are exchanged.
 */
import { toolErrors } from "@waggle/learning";
import { expect } from "vitest";
import {
  at,
  type Check,
  type Expectation,
  judged,
  keeps,
  learnsInTurn,
  learnsPairs,
  numbersOf,
  scoredOf,
} from "./recipe-checks.fixture.ts";

/** Loss weights by what episodes returned: the best most. */
const weighsByReturn: Check = (records) => {
  const { result, minibatch } = numbersOf(at(records, 0));
  const [won, lost] = [true, false].map((success) =>
    minibatch.episodes.flatMap(({ episode }, b) =>
      episode.verification.success === success
        ? [Math.max(...Array.from(result.derivatives.logProb?.[b] ?? [], Math.abs))]
        : [],
    ),
  );
  expect(won?.length).toBeGreaterThan(0);
  expect(lost?.length).toBeGreaterThan(0);
  expect(Math.max(...(lost ?? []))).toBeLessThan(Math.min(...(won ?? [])));
};

/** Every row of a pair is a whole run: each of its turns is pulled or pushed. */
const pairsWholeRuns: Check = (records) => {
  const { result, minibatch } = numbersOf(at(records, -1));
  expect(minibatch.pairs.length).toBeGreaterThan(0);
  for (const row of minibatch.pairs.flat()) {
    for (const { start, end } of minibatch.episodes[row]?.episode.turns ?? []) {
      const moved = result.derivatives.logProb?.[row]?.subarray(start, end) ?? [];
      expect(Array.from(moved).every((value) => value !== 0)).toBe(true);
    }
  }
};

/** Episodes of one stage come as this part says. */
function rollsOut(stage: number, part: string): Check {
  return (records) => {
    expect(at(records, stage).stage.rollout.part).toBe(part);
  };
}

export const PREFERENCE_EXPECTATIONS: { readonly [recipe: string]: Expectation } = {
  "agentic-transformer": {
    differs: [
      weighsByReturn,
      (records) => {
        expect(at(records, 0).plan.kind).toBe("log");
      },
    ],
  },
  faft: { differs: [weighsByReturn] },
  aidsafe: {
    differs: [
      learnsInTurn("tokens", "pairs"),
      keeps(0, (episode) => toolErrors(episode) === 0),
      learnsPairs(1),
    ],
  },
  matrix: {
    differs: [
      learnsInTurn("tokens", "pairs"),
      learnsPairs(1),
      (records) => {
        const rows = scoredOf(at(records, 1));
        expect(rows.every(({ episode }) => episode.branch?.original !== undefined)).toBe(true);
      },
    ],
  },
  "agentic-vrpo": {
    differs: [
      learnsInTurn("tokens", "pairs"),
      learnsPairs(1),
      (records) => {
        // Drawn tokens count more or less than once, some not at all.
        const { result, minibatch } = numbersOf(at(records, 1));
        for (const row of minibatch.pairs.flat()) {
          const pulls = Array.from(result.derivatives.logProb?.[row] ?? [], Math.abs).filter(
            (_, t) => minibatch.lossMask[row]?.[t] === true,
          );
          expect(new Set(pulls.map((pull) => pull.toFixed(9))).size).toBeGreaterThan(1);
        }
      },
    ],
  },
  "formal-methods": {
    differs: [
      learnsPairs(0),
      rollsOut(0, "single"),
      (records) => {
        // Shares of four specifications: not all of them fail with the one of a right result.
        const shares = scoredOf(at(records, 0)).map(({ score }) => 4 * score.reward);
        expect(shares.every(Number.isInteger)).toBe(true);
        expect(shares.some((share) => share > 0 && share < 4)).toBe(true);
      },
    ],
  },
  mosaic: { differs: [judged, learnsPairs(0), pairsWholeRuns, rollsOut(0, "single")] },
  recap: {
    differs: [
      judged,
      learnsPairs(0),
      (records) => {
        // Of one task, the same request in several wordings.
        for (const { episodes } of at(records, 0).groups) {
          expect(new Set(episodes.map(({ mode }) => mode)).size).toBe(3);
        }
      },
    ],
  },
};
