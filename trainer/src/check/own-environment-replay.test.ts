/** The trainer replays tasks of a user's environment, if it was given the environment. */
import { rollOut } from "@waggle/agent";
import { defineEnvironment } from "@waggle/agent/define";
import { ByteTokenizer, ScriptedPolicy } from "@waggle/testing";
import { createChatFormat, nanoTokenizerConfig } from "@waggle/text";
import { expect, test } from "vitest";
import { TINY_BASE } from "../edge-training/training.fixture.ts";
import { createReplay } from "./replay.ts";

const tokenizer = new ByteTokenizer();
const format = createChatFormat({ tokenizer, tokenizerConfig: nanoTokenizerConfig(4096) });
const { vocabularySize } = tokenizer;

/** A ledger to which a number must be added. */
const ledger = (step: number) =>
  defineEnvironment({
    name: "ledger",
    prompt: "You add numbers.",
    tasks: ({ random }) => {
      const n = Math.floor(random() * 1000);
      return { request: `Add ${n}.`, state: { sum: 1000 }, data: { n } };
    },
    tools: {
      add: {
        description: "Add a number.",
        parameters: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
        run: ({ n }, state) => {
          state.sum += n * step;
          return state.sum;
        },
      },
    },
    verify: ({ state, data }) => state.sum === 1000 + data.n,
  });

/** A page's upload: a call with the wanted number, another one that fails, and an answer. */
async function uploaded() {
  const spec = ledger(1);
  const task = spec.reference(7, "train", 0);
  const { environment } = spec.create(task);
  const n = Number(/\d+/.exec(spec.task(task).request)?.[0]);
  return rollOut({
    policy: new ScriptedPolicy({
      turns: [
        format.encodeAssistant("", [{ name: "add", arguments: { n } }]),
        format.encodeAssistant("", [{ name: "add", arguments: { n: "one" } }]),
        format.encodeAssistant("Added."),
      ],
      baseModel: TINY_BASE,
      version: 0,
      vocabularySize,
    }),
    environment,
    chatFormat: format,
    limits: { maxTurns: 8, maxTokensPerTurn: 1000, timeoutMs: 0 },
    consent: { version: "1", scopes: ["train"], grantedAt: new Date().toISOString() },
    client: { build: "0", backend: "scripted", device: "none", crossOriginIsolated: false },
    seed: 1,
  });
}

const options = { format, contextLength: 4096, vocabularySize };

test("an upload from the environment holds and is judged by its verifier", async () => {
  const replay = createReplay({ ...options, environments: [ledger(1)] });
  expect(await replay(await uploaded())).toMatchObject({
    holds: true,
    verification: { success: true, reward: 1 },
  });
});

test("an upload from an unknown environment is rejected, and so is one whose tools act differently", async () => {
  const unknown = createReplay(options);
  expect(await unknown(await uploaded())).toMatchObject({ reason: "unknown-environment" });
  const other = createReplay({ ...options, environments: [ledger(2)] });
  expect(await other(await uploaded())).toMatchObject({
    status: "rejected",
    reason: "replay-mismatch at turn 1",
    difference: { turn: 1, tool: "add", inPage: expect.stringMatching(/^1\d\d\d$/) as string },
  });
});
