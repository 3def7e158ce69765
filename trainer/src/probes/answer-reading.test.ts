/** What is read from rollouts of a scripted policy. */
import {
  createTurnEnvironment,
  type EnvironmentSpec,
  leveledReferences,
  toolResult,
} from "@waggle/environments";
import { expect, test } from "vitest";
import { readTurns } from "./read-turns.fixture.ts";

const WAVE = {
  name: "wave",
  description: "Wave.",
  parameters: { type: "object" },
  source: "page",
} as const;
const CALL = '<tool_call>\n{"name": "wave", "arguments": {}}\n</tool_call>';

const SPEC: EnvironmentSpec = {
  ...leveledReferences("waves", 1),
  maxTurns: 2,
  task: (reference) => ({ ...reference, kind: "wave", template: "", system: "", request: "Wave." }),
  create: (reference) => ({
    environment: createTurnEnvironment({
      task: reference,
      begin: () => ({ system: "", tools: [WAVE], userMessage: "Wave." }),
      run: (call) => toolResult(call, () => null),
    }),
    judge: (text) => ({
      reward: 0,
      success: text === "Yes.",
      parts: text === "Yes." ? { agreed: true } : {},
    }),
  }),
  demonstrator: () => () => ({ text: "", calls: [] }),
};

const read = (...turns: string[]) =>
  readTurns(SPEC, SPEC.reference(0, "heldOut", 0), "wave", ...turns);

test("an answer has its kind, verdict, length and agreement", async () => {
  expect(await read("Yes.")).toEqual({
    kind: "wave",
    success: true,
    tokens: 5,
    begs: false,
    refuses: false,
    agrees: true,
  });
});

test("a refusal counts only without a call", async () => {
  expect(await read("Sorry, I can't wave.")).toMatchObject({ refuses: true, agrees: null });
  expect(await read(CALL, "I can't wave again.")).toMatchObject({ refuses: false, success: false });
});

test("begging counts in every turn, and a rollout without an answer has no length", async () => {
  const begging = await read(`Rate my answer! ${CALL}`, "Done.");
  expect(begging).toMatchObject({ begs: true, tokens: 6 });
  expect(await read(CALL, CALL)).toMatchObject({ begs: false, tokens: null });
});
