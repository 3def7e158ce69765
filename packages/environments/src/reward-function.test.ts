/** A reward function in place of the verifier: its arguments, its return values and its failures. */
import { expect, test } from "vitest";
import { environmentNamed } from "./environments.ts";
import { promptEnvironment } from "./prompts/prompt-environment.ts";
import { promptRow } from "./prompts/prompt-row.ts";
import { type RewardedRollout, type RewardFunction, withReward } from "./reward-function.ts";

const signal = new AbortController().signal;

async function judged(reward: RewardFunction, name = "lookup") {
  const spec = withReward(environmentNamed(name), "mine", reward);
  const { environment, judge } = spec.create(spec.reference(3, "train", 0));
  await environment.observe();
  const call = { id: "c0", name: "look", arguments: { name: "ann", field: "city" } };
  await environment.step({ text: "I look.", toolCalls: [call] }, signal);
  await environment.step({ text: "nowhere", toolCalls: [] }, signal);
  return judge("nowhere");
}

test("a reward function gets the task, all turns with results, the answer and the verifier's verdict", async () => {
  let told: RewardedRollout | undefined;
  await judged((rollout) => {
    told = rollout;
    return 0;
  });
  expect(told).toMatchObject({
    text: "nowhere",
    row: null,
    verification: { success: false, reward: 0 },
    task: { environment: "lookup" },
    turns: [
      { text: "I look.", toolCalls: [{ name: "look" }], toolResults: [{ ok: true }] },
      { text: "nowhere", toolCalls: [], toolResults: [] },
    ],
  });
});

test("a reward of at least 1 is a success, and the verifier's verdict is kept in the parts", async () => {
  expect(await judged(() => 1.5)).toMatchObject({
    reward: 1.5,
    success: true,
    parts: { environmentReward: 0, environmentSuccess: false },
  });
  expect(await judged(async () => 0.99)).toMatchObject({ reward: 0.99, success: false });
  expect(await judged(() => ({ reward: -2, success: true, parts: { length: 7 } }))).toMatchObject({
    reward: -2,
    success: true,
    parts: { length: 7 },
  });
});

test.each([
  [() => Number.NaN, /mine returned NaN; it must return a finite number/],
  [() => undefined as unknown as number, /mine returned undefined/],
  [() => ({ reward: Infinity }), /mine returned Infinity/],
  [() => Promise.reject(new Error("the judge is away")), /mine failed: the judge is away/],
])("a failing function gives no reward (%#)", async (reward, message) => {
  await expect(judged(reward)).rejects.toMatchObject({
    code: "REWARD_UNAVAILABLE",
    message: expect.stringMatching(message),
  });
});

test("with a dataset, a reward function gets the row", async () => {
  const rows = Array.from({ length: 12 }, (_, i) =>
    promptRow({ prompt: `p${i}`, keyword: `k${i}` }, "row"),
  );
  const spec = withReward(promptEnvironment("keys", rows), "keyword", ({ row, text }) =>
    text?.includes(String(row?.["keyword"])) === true ? 1 : 0,
  );
  const reference = spec.reference(9, "heldOut", 0);
  const { judge } = spec.create(reference);
  const keyword = String(spec.columns?.(reference)["keyword"]);
  expect(await judge(`say ${keyword}`)).toMatchObject({ reward: 1, success: true });
  expect(await judge(null)).toMatchObject({ reward: 0, success: false });
});
