/** A learning step that fails skips its own groups only. */
import type { TrainEngine } from "@waggle/protocol";
import { afterAll, expect, test } from "vitest";
import { fault } from "../../../test/fixtures/fault.ts";
import { MAX_FAILED_STEPS } from "./step-failure.ts";
import {
  createSetup,
  live,
  removeSetups,
  WITH_SIGNAL,
} from "../edge-training/training-loop.fixture.ts";

afterAll(removeSetups);

/** An engine whose first `count` backward passes throw. */
function failing(engine: TrainEngine, count: number): TrainEngine {
  let left = count;
  return new Proxy(engine, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      if (name !== "backward") return member.bind(target) as unknown;
      return (...args: unknown[]): unknown => {
        if (left > 0) {
          left -= 1;
          throw new RangeError("Invalid array length");
        }
        return (member as (...all: unknown[]) => unknown).apply(target, args);
      };
    },
  });
}

fault(
  "groups whose step fails are skipped, and the next groups are trained on",
  { item: "1.1", before: "the trainer exits at the first of them, and at every restart" },
  async () => {
    const setup = await createSetup(WITH_SIGNAL);
    const { summary } = await live(setup, { engineOf: (engine) => failing(engine, 1) });
    const outcomes = [...setup.edge.acknowledged.values()].flat();
    const failed = outcomes.filter(({ reason }) => reason === "step-failed").length;
    const learned = outcomes.filter(({ status }) => status === "learned").length;
    expect(summary.stoppedBy).toBe("idle");
    expect(failed).toBe(8);
    expect(failed + learned).toBe(outcomes.length);
    expect(learned).toBeGreaterThan(8);
    return {
      after: `${failed} skipped as step-failed, ${learned} of ${outcomes.length} learned`,
      twice: setup.edge.twice,
    };
  },
);

test("an engine that fails at every step ends the trainer with the engine's error", async () => {
  const setup = await createSetup(WITH_SIGNAL);
  await expect(live(setup, { engineOf: (engine) => failing(engine, Infinity) })).rejects.toThrow(
    "Invalid array length",
  );
  const skipped = [...setup.edge.acknowledged.values()].flat();
  expect(skipped.every(({ reason }) => reason === "step-failed")).toBe(true);
  expect(skipped.length).toBeLessThanOrEqual(MAX_FAILED_STEPS * 8);
});
