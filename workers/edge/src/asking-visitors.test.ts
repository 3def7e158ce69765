import { expect } from "vitest";
import { fault } from "../../../test/fixtures/fault.ts";
import { attack, PRODUCTION } from "./testing/asking-visitors.ts";
import type { Asker } from "./assignment-store.ts";
import { freshEdge } from "./testing/edge.ts";

const visitor = (addressPrefix: string): Asker => ({
  visitorId: crypto.randomUUID(),
  addressPrefix,
});
/** No limits per visitor or network, as on a laptop. */
const LAPTOP = { ...PRODUCTION, slotsPerVisitor: 0, slotsPerPrefix: 0, unansweredPerPrefix: 0 };

fault(
  "five visitors who only request tasks leave an honest page enough work",
  { item: "4", before: "the honest page answered 13 of 44 tasks in 110 s" },
  async () => {
    const baseModel = await freshEdge();
    const attackers = ["a", "b", "c", "d", "e"].map(visitor);
    const { answered, possible, taken } = await attack(
      attackers,
      visitor("home"),
      LAPTOP,
      baseModel,
      110_000,
    );
    expect(answered).toBeGreaterThanOrEqual(0.9 * possible);
    return {
      after: `the honest page answered ${answered} of ${possible}, attackers took ${taken}`,
    };
  },
);

fault(
  "a network that creates a new visitor for every task runs out of tasks",
  { item: "4", before: "the network got all 170 tasks that it asked for in 40 s" },
  async () => {
    const baseModel = await freshEdge();
    // A new visitor for every request.
    const attackers = Array.from({ length: 2 }, () => ({
      get visitorId() {
        return crypto.randomUUID();
      },
      addressPrefix: "one network",
    }));
    const { answered, possible, taken } = await attack(
      attackers,
      visitor("home"),
      PRODUCTION,
      baseModel,
      40_000,
    );
    // At most 32 groups are unfinished, and this page holds one slot of each.
    expect(answered).toBeGreaterThanOrEqual(0.9 * possible);
    expect(taken).toBeLessThanOrEqual(PRODUCTION.unansweredPerPrefix + 16);
    return { after: `the network got ${taken} tasks, the honest page ${answered} of ${possible}` };
  },
);
