/** Expectations of recipes in which what one does is what another works with: answers, memories, calls. */
import type { Episode } from "@waggle/learning";
import type { MemoryBank } from "@waggle/learning/states";
import { expect } from "vitest";
import {
  at,
  episodesOf,
  type Expectation,
  keepsSuccesses,
  mean,
  scoredOf,
} from "./recipe-checks.fixture.ts";
import { actsJointly, readsOthers } from "./role-expectations.fixture.ts";

/** Names of the tools that an episode called. */
const called = ({ turns }: Episode): string[] =>
  turns.flatMap(({ toolCalls }) => toolCalls.map(({ name }) => name));

/** Of the policy-gradient table. */
export const DIVIDED_WORK_EXPECTATIONS: { readonly [recipe: string]: Expectation } = {
  spice: {
    differs: [
      (records) => {
        // The challenger reads, the reasoner does not.
        const all = episodesOf(at(records, -1));
        const of = (role: string): string[] =>
          all.filter((episode) => episode.role === role).flatMap(called);
        expect(new Set(of("proposer"))).toEqual(new Set(["search"]));
        expect(new Set(of("solver"))).toEqual(new Set(["calculate"]));
      },
      (records) => {
        // What is learned from stands on what its challenger had read, and something set does not.
        const record = at(records, -1);
        const read = new Map(
          episodesOf(record).map(({ id, turns }) => [
            id,
            JSON.stringify(turns.flatMap(({ toolResults }) => toolResults)),
          ]),
        );
        const sumsOf = (episodes: readonly Episode[]): { sum: string[]; text: string }[] =>
          episodes.flatMap(({ role, joint, verification }) =>
            role === "solver"
              ? [
                  {
                    sum: String(verification.parts["request"]).match(/\d+/g) ?? [],
                    text: read.get(joint ?? "") ?? "",
                  },
                ]
              : [],
          );
        const stands = ({ sum, text }: { sum: string[]; text: string }): boolean =>
          sum.length > 1 && sum.every((number) => new RegExp(`\\b${number}\\b`).test(text));
        const kept = sumsOf(scoredOf(record).map(({ episode }) => episode));
        expect(kept.length).toBeGreaterThan(0);
        expect(kept.every(stands)).toBe(true);
        expect(sumsOf(episodesOf(record)).every(stands)).toBe(false);
      },
      (records) => {
        // Half of the tries right is worth more to the challenger than all or none of them.
        const scored = scoredOf(at(records, -1));
        let paid = 0;
        for (const { episode, score } of scored.filter((one) => one.episode.role === "proposer")) {
          const tries = scored.filter((one) => one.episode.joint === episode.id);
          if (tries.length === 0) continue;
          const rate = mean(tries.map((one) => one.episode.verification.reward));
          expect(score.reward).toBeCloseTo(4 * rate * (1 - rate), 12);
          paid += score.reward;
        }
        expect(paid).toBeGreaterThan(0);
      },
    ],
  },
};

/** Of the imitation table. */
export const DIVIDED_IMITATION_EXPECTATIONS: { readonly [recipe: string]: Expectation } = {
  cmat: {
    ...{ updates: 2, settings: { teams: 2 } },
    differs: [
      actsJointly("assistant", "checker"),
      readsOthers,
      keepsSuccesses,
      (records) => {
        // What both members did and the environment confirmed is remembered, and read at the next tasks.
        const record = at(records, 0);
        const [first] = record.earlier;
        if (first === undefined) throw new Error("one update only");
        const { entries } = record.state["memory-bank"] as MemoryBank;
        const confirmed = scoredOf(first).map(({ episode }) => episode);
        const calls = confirmed.flatMap(({ turns }) => turns.flatMap(({ toolCalls }) => toolCalls));
        for (const call of calls) {
          const said = JSON.stringify(call.arguments);
          expect(entries.some(({ text }) => text.includes(`${call.name} ${said}`))).toBe(true);
        }
        const readers = episodesOf(record).filter(
          ({ read }) => (read?.ids["memory-bank"] ?? []).length > 0,
        );
        expect(new Set(readers.map(({ role }) => role)).size).toBe(2);
      },
    ],
  },
};
