import { type AtifReading, readAtifDocument } from "@waggle/testing";
import { expect, test } from "vitest";
import { toAtifTrajectory } from "./atif.ts";
import { chatTools } from "./chat-messages.ts";
import { type ConversationTurn, isRefusal } from "./conversation.ts";
import { FIRST, FORMAT, recordOf, TURNS, withEarlierTurn } from "./record.fixture.ts";
import { readTrajectory } from "./trajectory-text.ts";

test("a document has one step per inference, with tokens, log-probs and matching call ids", async () => {
  const record = recordOf({
    task: { environment: "shop", seed: 1, split: "train" },
    turns: [{ ...TURNS[0], userMessage: "Hurry." } as (typeof TURNS)[0], ...TURNS.slice(1)],
  });
  const reader = { format: FORMAT, describeTask: () => Promise.resolve(FIRST) };
  const read = await readTrajectory(record, reader);
  if (isRefusal(read)) throw new Error(read.refused);
  const document = toAtifTrajectory(read, FORMAT);
  const { steps } = document;
  expect(document.schema_version).toBe("ATIF-v1.7");
  expect(steps.map(({ step_id }) => step_id)).toEqual([1, 2, 3, 4, 5]);
  expect(steps.map(({ source }) => source)).toEqual(["system", "user", "agent", "user", "agent"]);

  const sampled = record.trajectory.segments.filter((segment) => segment.kind === "sampled");
  const metrics = steps.flatMap((step) => step.metrics ?? []);
  expect(metrics.map((one) => one.completion_token_ids)).toEqual(
    sampled.map(({ tokenIds }) => tokenIds),
  );
  expect(metrics.map(({ logprobs }) => logprobs)).toEqual(
    sampled.map(({ behaviorLogProbs }) => behaviorLogProbs),
  );
  const last = metrics.at(-1);
  expect([...(last?.prompt_token_ids ?? []), ...(last?.completion_token_ids ?? [])]).toEqual(
    record.trajectory.segments.flatMap(({ tokenIds }) => [...tokenIds]),
  );
  for (const { tool_calls = [], observation } of steps) {
    const ids = tool_calls.map(({ tool_call_id }) => tool_call_id);
    expect(observation?.results.map(({ source_call_id }) => source_call_id) ?? []).toEqual(ids);
  }
  expect(document.final_metrics).toMatchObject({
    total_completion_tokens: sampled.reduce((sum, { tokenIds }) => sum + tokenIds.length, 0),
    total_steps: 5,
  });
});

test("a turn from an earlier request becomes a copied step without metrics", async () => {
  const record = withEarlierTurn(
    recordOf({ task: { environment: "shop", seed: 1, split: "train" } }),
  );
  const reader = { format: FORMAT, describeTask: () => Promise.resolve(FIRST) };
  const read = await readTrajectory(record, reader);
  if (isRefusal(read)) throw new Error(read.refused);
  const [, , copied, sampled] = toAtifTrajectory(read, FORMAT).steps;
  expect([copied?.is_copied_context, copied?.metrics]).toEqual([true, undefined]);
  expect([sampled?.is_copied_context, sampled?.metrics?.completion_tokens]).toEqual([
    undefined,
    record.trajectory.segments.at(-1)?.tokenIds.length,
  ]);
});

/** The conversation in a document, with `isTarget: false` for copied turns. */
function toldBy({ said, tools }: AtifReading) {
  const [first, second] = said;
  const system = first?.source === "system" ? first.message : "";
  const userMessage = (system === "" ? first : second)?.message;
  const turns: ConversationTurn[] = [];
  for (const { source, message, calls, results, isCopied } of said.slice(system === "" ? 1 : 2)) {
    const last = turns.at(-1);
    if (source === "user" && last !== undefined) {
      turns[turns.length - 1] = { ...last, userMessage: message };
      continue;
    }
    turns.push({
      text: message,
      toolCalls: calls.map((call) => ({ ...call, arguments: { ...call.arguments } })),
      toolResults: results.map(({ callId, content }) => ({
        callId: callId ?? "",
        ok: true,
        value: JSON.parse(content) as unknown,
      })),
      ...(isCopied ? { isTarget: false } : {}),
    });
  }
  return { system, userMessage, tools, turns };
}

test.each([
  ["of one request", false],
  ["with a turn of an earlier request", true],
])("turns, calls, results and tokens %s survive a round trip", async (_, isEarlier) => {
  const plain = recordOf({
    task: { environment: "shop", seed: 1, split: "train" },
    turns: [{ ...TURNS[0], userMessage: "Hurry." } as ConversationTurn, ...TURNS.slice(1)],
  });
  const record = isEarlier ? withEarlierTurn(plain) : plain;
  const reader = { format: FORMAT, describeTask: () => Promise.resolve(FIRST) };
  const read = await readTrajectory(record, reader);
  if (isRefusal(read)) throw new Error(read.refused);
  const back = readAtifDocument(JSON.parse(JSON.stringify(toAtifTrajectory(read, FORMAT))));
  const { system, userMessage, turns, tools } = read.conversation;
  expect(toldBy(back)).toEqual({ system, userMessage, turns, tools: chatTools(tools) });
  expect(back.trajectoryId).toBe(record.trajectory.id);

  const { segments } = record.trajectory;
  const numbers = segments.flatMap((segment) =>
    segment.tokenIds.map((id, t) =>
      segment.kind === "sampled"
        ? { id, isSampled: true, logProb: segment.behaviorLogProbs[t] }
        : { id, isSampled: false, logProb: 0 },
    ),
  );
  expect(back.tokens).toEqual([
    {
      tokenIds: numbers.map(({ id }) => id),
      isSampled: numbers.map(({ isSampled }) => isSampled),
      logProbs: numbers.map(({ logProb }) => logProb),
    },
  ]);
});

test.each([
  ["an unknown member", (step: object) => ({ ...step, reward: 1 })],
  ["steps out of order", (step: object) => ({ ...step, step_id: 9 })],
  ["tokens of a user", (step: object) => ({ ...step, source: "user" })],
  [
    "fewer log-probs than tokens",
    (step: { readonly metrics?: object }) => ({
      ...step,
      metrics: { ...step.metrics, logprobs: [] },
    }),
  ],
])("control: the reader refuses %s", async (_, change) => {
  const reader = { format: FORMAT, describeTask: () => Promise.resolve(FIRST) };
  const record = recordOf({ task: { environment: "shop", seed: 1, split: "train" } });
  const read = await readTrajectory(record, reader);
  if (isRefusal(read)) throw new Error(read.refused);
  const document = toAtifTrajectory(read, FORMAT);
  const steps = document.steps.map((step, i) =>
    i === document.steps.length - 1 ? change(step) : step,
  );
  expect(() => readAtifDocument({ ...document, steps })).toThrow(/is invalid at .* in ATIF-v1.7/);
});
