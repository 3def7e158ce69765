import type { EnvironmentRollout } from "@waggle/agent/environments";
import { ANSWER_LIMITS, SampledAnswer } from "@waggle/protocol";
import { ByteTokenizer } from "@waggle/testing";
import { createChatFormat, nanoTokenizerConfig } from "@waggle/text";
import { expect, test } from "vitest";
import { randomTrajectory } from "../edge-training/training.fixture.ts";
import { sampledAnswers } from "./sampled-answers.ts";

const format = createChatFormat({
  tokenizer: new ByteTokenizer(),
  tokenizerConfig: nanoTokenizerConfig(4096),
});

/** A rollout that ends with this text after calls of a tool. */
function rollout(text: string, calls: readonly object[] = []): EnvironmentRollout {
  const record = randomTrajectory(1);
  const segments = record.segments.map((segment) =>
    segment.kind === "sampled" ? { ...segment, tokenIds: format.encodeAssistant(text) } : segment,
  );
  const toolCalls = calls.map((given) => ({ id: "c", name: "send", arguments: given }));
  const turns = record.turns.map((turn) => ({ ...turn, toolCalls }));
  return {
    record: { ...record, segments, turns },
    verification: { reward: 1, success: true, parts: {} },
  } as unknown as EnvironmentRollout;
}

test("request, text and calls are kept without personal data", () => {
  const [answer] = sampledAnswers(
    [rollout("I wrote to ada@example.org.", [{ to: "ada@example.org", count: 2 }])],
    () => "Write to ada@example.org, please.",
    format,
  );
  expect(answer).toEqual({
    request: "Write to [EMAIL_1], please.",
    text: "I wrote to [EMAIL_1].",
    calls: ['send {"to":"[EMAIL_1]","count":2}'],
    success: true,
  });
});

test("a rollout that was cut off has no text", () => {
  const { record, ...rest } = rollout("Half of");
  const cut = { ...rest, record: { ...record, stopReason: "max-tokens" as const } };
  expect(sampledAnswers([cut as EnvironmentRollout], () => "Go.", format)[0]?.text).toBeNull();
});

test("whatever a rollout has, its answer fits the schema, and only the first rollouts are kept", () => {
  const long = "😀".repeat(2000);
  const calls = Array.from({ length: 30 }, () => ({ note: long }));
  const rollouts = Array.from({ length: 30 }, () => rollout(long, calls));
  const answers = sampledAnswers(rollouts, () => `a${long}`, format);
  expect(answers).toHaveLength(ANSWER_LIMITS.answers);
  const [answer] = answers;
  expect(SampledAnswer.safeParse(answer).success).toBe(true);
  expect(answer?.calls).toHaveLength(ANSWER_LIMITS.calls);
  // No half of a surrogate pair is left before the ellipsis.
  expect(answer?.request).toMatch(/^a(?:😀)+…$/u);
  expect(answer?.text).toMatch(/^(?:😀)+…$/u);
});
