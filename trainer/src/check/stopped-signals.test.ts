import type { Feedback, LeasedOutcome, LeasedTrajectory } from "@waggle/protocol";
import { expect, test } from "vitest";
import { randomTrajectory } from "../edge-training/training.fixture.ts";
import { stoppedSignals, withoutStopped } from "./stopped-signals.ts";

const trajectory = randomTrajectory(1);
const at = "2026-01-01T00:00:00.000Z";
const said = (kind: Feedback["kind"], text?: string): Feedback => ({
  id: crypto.randomUUID(),
  trajectoryId: trajectory.id,
  kind,
  at,
  ...(text !== undefined && { text }),
});
const booked: LeasedOutcome = {
  metric: "booked",
  value: true,
  source: "page",
  declared: { type: "boolean", better: "higher" },
};
const LEASED: LeasedTrajectory = {
  digest: "d".repeat(64),
  visitorId: crypto.randomUUID(),
  receivedAt: at,
  trajectory,
  feedback: [
    said("thumb-up"),
    said("next-corrects", "No, the blue one."),
    said("next-thanks"),
    said("edit", "The blue one."),
    said("undo"),
  ],
  staffAnswer: "The green one.",
  outcomes: [booked, { ...booked, metric: "rating" }],
};

const left = (...stopped: string[]) => {
  const { feedback, outcomes, staffAnswer } = withoutStopped(LEASED, new Set(stopped));
  const texts = feedback.map(({ kind, text }) => (text === undefined ? kind : `${kind}: ${text}`));
  const staff = staffAnswer === undefined ? [] : [`staff: ${staffAnswer}`];
  return [...texts, ...staff, ...(outcomes ?? []).map(({ metric }) => metric)];
};
const ALL = left();

test.each([
  ["thumb", ["thumb-up"]],
  ["message:next-thanks", ["next-thanks"]],
  ["message:next-corrects", ["next-corrects: No, the blue one."]],
  ["edit", ["edit: The blue one."]],
  ["undo", ["undo"]],
  ["staff", ["staff: The green one."]],
  ["outcome:rating", ["rating"]],
] as const)("without %s, the rest is left", (signal, gone: readonly string[]) => {
  expect(left(signal)).toEqual(ALL.filter((one) => !gone.includes(one)));
});

test("without corrections, the kind of the message is left", () => {
  const kinds = ALL.map((one) => (one.startsWith("next-corrects") ? "next-corrects" : one));
  expect(left("correction")).toEqual(kinds);
});

test("a record that has none of the stopped signals is the same object", () => {
  expect(withoutStopped(LEASED, new Set(["verifier", "outcome:sold", "message:retry"]))).toBe(
    LEASED,
  );
});

test("an edge of the previous release stops nothing", () => {
  expect(stoppedSignals({ environment: "", frozen: null, killed: null }).size).toBe(0);
});
