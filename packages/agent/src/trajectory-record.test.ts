import { Trajectory } from "@waggle/protocol";
import type { GrammarSpec, Sample } from "@waggle/protocol";
import { expect, test } from "vitest";
import { consent, echoing, environmentOf, fixed, run, say } from "./rollout.fixture.ts";
import { TrajectoryRecord } from "./trajectory-record.ts";

const JSON_ONLY: GrammarSpec = { kind: "json" };

test("a rollout's grammar applies to every turn", async () => {
  const { policy } = await run(
    { turns: [say("Look.", { name: "echo", arguments: { text: "a" } }), say("Done.")] },
    environmentOf(echoing),
    { grammar: JSON_ONLY },
  );
  const asked = policy.contexts.flatMap((context) => context.samples);
  expect(asked.map(({ grammar }) => grammar)).toEqual([JSON_ONLY, JSON_ONLY]);
});

test("a record contains each grammar once, and each segment its grammar id and token budget", () => {
  const head = { task: null, assignmentId: null, consent, client: fixed.client };
  const record = new TrajectoryRecord({ ...head, baseModel: "0".repeat(64) }, () => new Date(0));
  const sampling = { temperature: 1, topK: 0, topP: 1, seed: 1 };
  const sample: Sample = {
    tokenIds: [1],
    behaviorLogProbs: [-1],
    rawLogProbs: [-2],
    entropies: [1],
    stopReason: "stop-token",
    grammar: "a1",
    tokenBudget: 40,
    fingerprint: "one",
  };
  record.addSampled(sample, sampling, 3, JSON_ONLY);
  record.addSampled({ ...sample, tokenBudget: 30 }, sampling, 3, JSON_ONLY);
  record.addSampled({ ...sample, grammar: null, tokenBudget: undefined }, sampling, 3);
  const trajectory = Trajectory.parse(record.finish("completed", 3));
  expect(trajectory.grammars).toEqual({ a1: JSON_ONLY });
  expect(trajectory.segments).toMatchObject([
    { grammar: "a1", tokenBudget: 40, fingerprint: "one" },
    { grammar: "a1", tokenBudget: 30 },
    { grammar: null },
  ]);
  expect(trajectory.segments[2]).not.toHaveProperty("tokenBudget");
});

test("a turn sampled by two versions records both spans, and the upload schema refuses it", () => {
  const head = { task: null, assignmentId: null, consent, client: fixed.client };
  const record = new TrajectoryRecord({ ...head, baseModel: "0".repeat(64) }, () => new Date(0));
  const versions = [
    { version: 3, start: 0, end: 1 },
    { version: 4, start: 1, end: 2 },
  ];
  const two = [-1, -1];
  record.addSampled(
    {
      tokenIds: [1, 2],
      behaviorLogProbs: two,
      rawLogProbs: two,
      entropies: [1, 1],
      stopReason: "stop-token",
      versions,
    },
    { temperature: 1, topK: 0, topP: 1, seed: 1 },
    4,
  );
  const trajectory = record.finish("completed", 4);
  expect(trajectory.policyVersion).toBe(3);
  expect(trajectory.segments).toMatchObject([{ policyVersion: 3, versions }]);
  expect(Trajectory.safeParse(trajectory).success).toBe(false);
});
