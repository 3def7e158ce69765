import { expect, test } from "vitest";
import { judgedReward } from "./judge-port.ts";

const signal = new AbortController().signal;
const input = (transcript: string) => ({ request: "r", transcript });

/** Returns the answers in order; throws an answer that is an error. */
function scripted(answers: readonly (number | Error)[]) {
  let at = 0;
  return {
    reward: async () => {
      const answer = answers[at++] as number | Error;
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
}

test("a failed judge is a retryable failure, not a reward of 0", async () => {
  await expect(
    judgedReward(scripted([new Error("503")]), input("x"), signal),
  ).rejects.toMatchObject({ code: "REWARD_UNAVAILABLE", retryable: true });
  await expect(judgedReward(scripted([0]), input("x"), signal)).resolves.toBe(0);
});

test("votes: the median of the received votes, if a majority was received", async () => {
  const down = new Error("down");
  await expect(judgedReward(scripted([0.9, down, 0.1, 0.2]), input("x"), signal, 4)).resolves.toBe(
    0.2,
  );
  await expect(
    judgedReward(scripted([0.9, down, down]), input("x"), signal, 3),
  ).rejects.toMatchObject({ code: "REWARD_UNAVAILABLE" });
});

test.each([1.5, -0.1, Number.NaN])("a reward of %s is refused", async (reward) => {
  await expect(judgedReward(scripted([reward]), input("x"), signal)).rejects.toMatchObject({
    code: "REWARD_UNAVAILABLE",
  });
});

test("an abort stays an abort", async () => {
  const abort = new DOMException("stop", "AbortError");
  await expect(judgedReward(scripted([abort]), input("x"), signal)).rejects.toBe(abort);
});
