/** Expectations of recipes that search a tree of turns, and the checks on what they learn from one. */
import type { Episode, EpisodeTurn } from "@waggle/learning";
import { expect } from "vitest";
import {
  at,
  type Check,
  type Expectation,
  episodesOf,
  learnsInTurn,
  numbersOf,
  scoredOf,
  turnAdvantages,
} from "./recipe-checks.fixture.ts";

function saidAt({ samples }: Episode, { sample, start, end }: EpisodeTurn): string {
  return samples[sample]?.sequence.tokenIds.slice(start, end).join(" ") ?? "";
}

/** Attempts go on from each other: the same beginning, token by token, up to where they part. */
export function searches(stage: number): Check {
  return (records) => {
    const record = at(records, stage);
    expect(record.plan.kind).toBe("tree");
    const places = new Set<number>();
    for (const { episodes } of record.groups) {
      for (const episode of episodes) {
        const root = episodes.find(({ id }) => id === episode.branch?.episode);
        if (root === undefined || episode.branch === null) continue;
        for (const [i, turn] of episode.turns.slice(0, episode.branch.turn).entries()) {
          expect(saidAt(episode, turn)).toBe(saidAt(root, root.turns[i] as EpisodeTurn));
        }
        places.add(episode.branch.turn);
      }
    }
    expect(places.size).toBeGreaterThan(0);
  };
}

/**
 * Both of a pair acted in one state, and what came of all attempts that acted as the chosen one did is
 * better on average; learned is nothing before.
 */
export function prefersAtForks(stage: number, unit: "turn" | "rest"): Check {
  return (records) => {
    const record = at(records, stage);
    const { result, minibatch } = numbersOf(record);
    const worth = (episode: Episode, turn: EpisodeTurn): number => {
      const group = record.groups.find(({ episodes }) =>
        episodes.some(({ id }) => id === episode.id),
      );
      const alike = (group?.episodes ?? []).filter((other) =>
        other.turns.some(
          (one) => one.state === turn.state && saidAt(other, one) === saidAt(episode, turn),
        ),
      );
      return alike.reduce((sum, other) => sum + other.verification.reward, 0) / alike.length;
    };
    expect(minibatch.pairs.length).toBeGreaterThan(0);
    for (const pair of minibatch.pairs) {
      const sides = pair.map((row) => {
        const { episode } = minibatch.episodes[row] ?? { episode: undefined };
        if (episode === undefined) throw new Error("a pair without an episode");
        const slopes = result.derivatives.logProb?.[row] ?? new Float64Array();
        const first = slopes.findIndex((slope) => slope !== 0);
        const last = slopes.findLastIndex((slope) => slope !== 0);
        const turn = episode.turns.find(({ start, end }) => first >= start && first < end);
        if (turn === undefined) throw new Error("a pair learned outside of turns");
        const end = unit === "turn" ? turn.end : (episode.turns.at(-1)?.end ?? 0);
        expect([first, last]).toEqual([turn.start, end - 1]);
        const pull = slopes.reduce((sum, slope) => sum + slope, 0);
        return { state: turn.state, value: worth(episode, turn), pull };
      });
      const [chosen, rejected] = sides as [(typeof sides)[number], (typeof sides)[number]];
      expect(chosen.state).toBe(rejected.state);
      expect(chosen.value).toBeGreaterThan(rejected.value);
      expect(chosen.pull).toBeLessThan(0);
      expect(rejected.pull).toBeGreaterThan(0);
    }
  };
}

/** At most one attempt of each task, a success, with all its turns. */
const imitatesBestLines: Check = (records) => {
  const record = at(records, 0);
  const kept = scoredOf(record);
  expect(kept.length).toBeLessThanOrEqual(record.groups.length);
  expect(kept.length).toBeLessThan(episodesOf(record).length);
  for (const { episode, lossMask } of kept) {
    expect(episode.verification.success).toBe(true);
    const learned = episode.turns.map(({ sample, start }) => lossMask[sample]?.[start]);
    expect(learned.every(Boolean)).toBe(true);
  }
};

export const SEARCH_EXPECTATIONS: { readonly [recipe: string]: Expectation } = {
  "pro-act": {
    differs: [
      learnsInTurn("tokens", "rewards"),
      searches(0),
      imitatesBestLines,
      (records) => {
        expect(Object.keys(at(records, 0).state["tree-store"] ?? {}).length).toBeGreaterThan(0);
      },
      (records) => {
        // Where an attempt was left, its turns are worth differently.
        const record = at(records, 1);
        const left = episodesOf(record).filter(({ id }) =>
          episodesOf(record).some(({ branch }) => branch?.episode === id),
        );
        expect(left.length).toBeGreaterThan(0);
        expect(
          left.some((episode) => {
            const ofTurns = turnAdvantages(record, episode).filter(Number.isFinite);
            return new Set(ofTurns.map((value) => value.toFixed(9))).size > 1;
          }),
        ).toBe(true);
      },
    ],
  },
};
