/** What is read from rollouts of a scripted policy. */
import { scriptedPolicy } from "@waggle/agent";
import { environmentRollout } from "@waggle/agent/environments";
import {
  createTurnEnvironment,
  type EnvironmentSpec,
  leveledReferences,
  toolResult,
} from "@waggle/environments";
import { FULL_SUPPORT } from "@waggle/protocol";
import { ByteTokenizer } from "@waggle/testing";
import { createChatFormat, nanoTokenizerConfig } from "@waggle/text";
import { expect, test } from "vitest";
import { readAnswer } from "./answer-reading.ts";

const tokenizer = new ByteTokenizer();
const format = createChatFormat({ tokenizer, tokenizerConfig: nanoTokenizerConfig(4096) });
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

/** @param turns - of the policy. */
async function read(...turns: string[]) {
  const [stop = 0] = format.stopTokenIds;
  const left = [...turns];
  const policy = {
    ...scriptedPolicy(() => {
      const next = left.shift();
      return next === undefined ? null : [...tokenizer.encodeTemplate(next), stop];
    }, 4096),
    client: { build: "0", backend: "scripted", device: "none", crossOriginIsolated: false },
  } as const;
  const { signal } = new AbortController();
  const options = { sampling: FULL_SUPPORT, seed: 1, maxTurnTokens: 200 };
  const reference = SPEC.reference(0, "heldOut", 0);
  const rollout = await environmentRollout(policy, format, SPEC, reference, options, signal);
  return readAnswer(rollout, "wave", format);
}

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
