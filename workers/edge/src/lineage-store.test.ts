import { beforeEach, expect, test } from "vitest";
import { ask, asTrainer, bindings, freshEdge } from "./testing/edge.ts";

const [ONE, OTHER] = [crypto.randomUUID(), crypto.randomUUID()];

beforeEach(async () => {
  await freshEdge();
});

const open = (stateId: string, step: number) =>
  ask("POST", "/v1/trainer/lineages", { ...asTrainer, body: { stateId, step } });

test("a state gets the step that it reported last, and the newest step of all states", async () => {
  expect(await open(ONE, 0)).toEqual({ knownStep: null, newestStep: 0 });
  expect(await open(ONE, 5)).toEqual({ knownStep: 0, newestStep: 0 });
  expect(await open(OTHER, 2)).toEqual({ knownStep: null, newestStep: 5 });
  expect(await open(OTHER, 2)).toEqual({ knownStep: 2, newestStep: 5 });
});

test("a state that was restored from an older copy does not lower its known step", async () => {
  await open(ONE, 5);
  expect(await open(ONE, 3)).toEqual({ knownStep: 5, newestStep: 5 });
  expect(await open(ONE, 3)).toEqual({ knownStep: 5, newestStep: 5 });
});

test("steps in the metrics count as reported, even without a state", async () => {
  await bindings.DB.prepare(
    "INSERT INTO metrics (site, step, at, metrics) VALUES ('default', 9, '', '{}')",
  ).run();
  expect(await open(ONE, 0)).toEqual({ knownStep: null, newestStep: 9 });
});
