/** A judge's verdict on the visitor's next message takes the place of what the rules of the page found. */
import { rollOut } from "@waggle/agent";
import type { Feedback } from "@waggle/protocol";
import { ByteTokenizer, ScriptedPolicy } from "@waggle/testing";
import { createChatFormat, nanoTokenizerConfig } from "@waggle/text";
import { expect, test } from "vitest";
import { TINY_BASE } from "../edge-training/training.fixture.ts";
import type { JudgedMessage, MessageVerdict } from "../judge/message-judge.ts";
import { createFeedbackCheck } from "./feedback-check.ts";
import { withoutStopped } from "./stopped-signals.ts";

const tokenizer = new ByteTokenizer();
const format = createChatFormat({ tokenizer, tokenizerConfig: nanoTokenizerConfig(4096) });

const trajectory = await rollOut({
  policy: new ScriptedPolicy({
    turns: [format.encodeAssistant("Booked for four.")],
    baseModel: TINY_BASE,
    version: 0,
    vocabularySize: tokenizer.vocabularySize,
  }),
  environment: {
    task: null,
    observe: async () => ({
      system: "You book tables.",
      userMessage: "a table for two",
      tools: [],
    }),
    step: async () => ({ toolResults: [], terminated: true }),
  },
  chatFormat: format,
  limits: { maxTurns: 1, maxTokensPerTurn: 1000, timeoutMs: 0 },
  consent: { version: "1", scopes: ["train"], grantedAt: "2026-01-01T00:00:00.000Z" },
  client: { build: "0", backend: "scripted", device: "none", crossOriginIsolated: false },
  seed: 1,
});

const at = "2026-01-01T00:00:00.000Z";
const leased = (...said: readonly Pick<Feedback, "kind" | "text">[]) => ({
  digest: "d".repeat(64),
  visitorId: crypto.randomUUID(),
  receivedAt: at,
  trajectory,
  feedback: said.map((one): Feedback => ({
    id: crypto.randomUUID(),
    trajectoryId: trajectory.id,
    at,
    ...one,
  })),
});

/** A check with a judge of this verdict, and what the judge was asked. */
function judging(verdict: MessageVerdict, weights: object = { message: 1, thumb: 1 }) {
  const asked: JudgedMessage[] = [];
  const check = createFeedbackCheck(weights, format, undefined, async (message) => {
    asked.push(message);
    return verdict;
  });
  return { check, asked };
}

const unread = { kind: "next-message", text: "two, not four" } as const;

test("the judge reads request, answer and message, and its verdict is the reward", async () => {
  const { check, asked } = judging("next-corrects");
  expect(await check(leased(unread))).toMatchObject({
    holds: true,
    verification: {
      reward: 0,
      parts: { message: "next-corrects", correction: unread.text, judge: "next-message-1" },
      signals: { "judge:messages": 1 },
    },
  });
  const [request, answer] = ["a table for two", "Booked for four."];
  expect(asked).toEqual([{ request, answer, next: unread.text }]);
});

test.each([
  ["next-corrects", "next-thanks", { reward: 1, signals: { "judge:messages": 1 } }],
  ["next-corrects", "abstained", { reward: 0, signals: { "message:next-corrects": 1 } }],
  ["next-thanks", "failed", { reward: 1, signals: { "message:next-thanks": 1 } }],
] as const)("rules: %s, judge: %s", async (kind, verdict, verification) => {
  const { check } = judging(verdict);
  const checked = await check(leased({ kind, text: "thanks, no" }));
  expect(checked).toMatchObject({ holds: true, verification });
});

test.each([
  ["nothing", "no-feedback"],
  ["abstained", "judge-abstained"],
  ["failed", "judge-failed"],
] as const)("a message without a verdict is missing, not 0: %s", async (verdict, reason) => {
  const { check } = judging(verdict);
  expect(await check(leased(unread))).toEqual({ holds: false, status: "skipped", reason });
  // The control: other feedback still counts, alone.
  expect(await check(leased({ kind: "thumb-up" }, unread))).toMatchObject({
    verification: { reward: 1, parts: { thumb: "up" } },
  });
});

test("no judge is asked without a text, about an edit, or for a recipe that reads no messages", async () => {
  const { check, asked } = judging("next-thanks");
  await check(leased({ kind: "next-corrects" }));
  await check(leased({ kind: "edit", text: "Booked for two." }));
  const thumbs = judging("next-thanks", { thumb: 1 });
  await thumbs.check(leased({ kind: "thumb-up" }, unread));
  expect([...asked, ...thumbs.asked]).toEqual([]);
});

test("a stopped judge is not asked; what the rules found still counts", async () => {
  const { check, asked } = judging("next-thanks");
  const stopped = new Set(["judge:messages"]);
  const checked = await check(
    withoutStopped(leased({ kind: "next-corrects", text: "no" }), stopped),
  );
  expect(checked).toMatchObject({ verification: { reward: 0, parts: { correction: "no" } } });
  expect(await check(withoutStopped(leased(unread), stopped))).toMatchObject({ holds: false });
  expect(asked).toEqual([]);
  const both = new Set(["judge:messages", "message:next-corrects"]);
  expect(withoutStopped(leased({ kind: "next-corrects", text: "no" }), both).feedback).toEqual([]);
});
