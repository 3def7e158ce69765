import { Command } from "commander";
import { expect, test } from "vitest";
import { edgeRecipeNamed } from "../recipes/edge-recipe.ts";
import { judgeOf, type JudgeFlags, withJudge } from "./judge-options.ts";

const ENVIRONMENT = { WAGGLE_JUDGE_URL: "http://127.0.0.1:9/v1", WAGGLE_JUDGE_KEY: "key" };

function judge(args: string, recipe = "messages-reinforce", environment: object = ENVIRONMENT) {
  const command = withJudge(new Command())
    .exitOverride()
    .configureOutput({ writeErr: () => {} });
  command.parse(args === "" ? [] : args.split(" "), { from: "user" });
  return judgeOf(command.opts<JudgeFlags>(), edgeRecipeNamed(recipe), { ...environment });
}

test("without its options there is no judge, whatever the environment", () => {
  expect(judge("")).toBeNull();
});

test("a judge of messages, one of trials and one of versions", () => {
  expect(judge("--judge-messages")).toMatchObject({ readsMessages: true, requestTrials: 0 });
  expect(judge("--request-trials 4 --read-only-tools search,cart", "dr-grpo-tis")).toMatchObject({
    readsMessages: false,
    requestTrials: 4,
    readOnlyTools: new Set(["search", "cart"]),
    comparedRequests: 0,
  });
  expect(judge("--compare-requests 128", "thumbs-reinforce")).toMatchObject({
    readsMessages: false,
    requestTrials: 0,
    comparedRequests: 128,
  });
});

test.each([
  ["--judge-messages", "thumbs-reinforce", "does not learn from messages"],
  ["--judge-messages", "dr-grpo-tis", "does not learn from messages"],
  ["--request-trials 4", "thumbs-reinforce", "learns from single requests with feedback"],
  ["--judge-model m", "messages-reinforce", "nothing to do"],
  ["--read-only-tools a", "dr-grpo-tis", "add --request-trials"],
])("%s with %s is refused", (args, recipe, message) => {
  expect(() => judge(args, recipe)).toThrow(message);
});

test.each([
  {},
  { WAGGLE_JUDGE_URL: "" },
  { WAGGLE_JUDGE_URL: "judge" },
  { WAGGLE_JUDGE_URL: "file:///x" },
])("without a URL in the environment it is refused: %j", (environment) => {
  expect(() => judge("--judge-messages", "messages-reinforce", environment)).toThrow(
    "set WAGGLE_JUDGE_URL",
  );
});

test.each([
  "--compare-requests 0",
  "--compare-requests 1001",
  "--request-trials 1",
  "--request-trials 33",
  "--judge-votes 0",
  "--judge-votes x",
])("%s is refused", (args) => {
  expect(() => judge(`--judge-messages ${args}`)).toThrow("It must be a whole number from");
});
