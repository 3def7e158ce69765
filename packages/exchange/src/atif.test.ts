import { expect, test } from "vitest";
import { toAtifTrajectory } from "./atif.ts";
import { isRefusal } from "./conversation.ts";
import { FIRST, FORMAT, recordOf, TURNS, withEarlierTurn } from "./record.fixture.ts";
import { readTrajectory } from "./trajectory-text.ts";

test("a document has one step an inference, its tokens and log-probs, and links that resolve", async () => {
  const record = recordOf({
    task: { environment: "shop", seed: 1, split: "train" },
    turns: [{ ...TURNS[0], userMessage: "Hurry." } as (typeof TURNS)[0], ...TURNS.slice(1)],
  });
  const reader = { format: FORMAT, describeTask: () => Promise.resolve(FIRST) };
  const read = await readTrajectory(record, reader);
  if (isRefusal(read)) throw new Error(read.refused);
  const document = toAtifTrajectory(read);
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

test("a turn of an earlier request is a copied step without numbers", async () => {
  const record = withEarlierTurn(
    recordOf({ task: { environment: "shop", seed: 1, split: "train" } }),
  );
  const reader = { format: FORMAT, describeTask: () => Promise.resolve(FIRST) };
  const read = await readTrajectory(record, reader);
  if (isRefusal(read)) throw new Error(read.refused);
  const [, , copied, sampled] = toAtifTrajectory(read).steps;
  expect([copied?.is_copied_context, copied?.metrics]).toEqual([true, undefined]);
  expect([sampled?.is_copied_context, sampled?.metrics?.completion_tokens]).toEqual([
    undefined,
    record.trajectory.segments.at(-1)?.tokenIds.length,
  ]);
});
