/** Expectations of recipes in which what one does is what another works with: answers, memories, calls. */
import type { MemoryBank } from "@waggle/learning/states";
import { expect } from "vitest";
import {
  at,
  episodesOf,
  type Expectation,
  keepsSuccesses,
  scoredOf,
} from "./recipe-checks.fixture.ts";
import { actsJointly, readsOthers } from "./role-expectations.fixture.ts";

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
