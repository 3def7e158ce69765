import { checkEnvironment } from "@waggle/agent/define";
import { expect, test } from "vitest";
import tools, { start } from "../src/tools.ts";
import environment from "./environment.ts";

// It plays hundreds of tasks, which takes longer than Vitest's five seconds on a busy machine.
test("the environment passes every check", async () => {
  for await (const { check, status, words } of checkEnvironment(environment)) {
    expect(status, `${check}: ${words}`).not.toBe("failed");
  }
}, 60_000);

test.each(["train", "heldOut"] as const)("there are many different tasks: %s", (split) => {
  const requests = Array.from({ length: 200 }, (_, seed) => {
    return environment.task(environment.reference(seed, split, 0)).request;
  });
  expect(new Set(requests).size).toBeGreaterThanOrEqual(20);
});

test("a card that was moved in the page is in its new column", async () => {
  start({ cards: [{ card: 7, project: "P230", days: 2, column: "doing" }] });
  const context = { signal: new AbortController().signal };
  const [findCards, moveCard] = tools;
  await moveCard?.run({ card: 7, column: "done" }, context);
  const found = await findCards?.run({ project: "P230", column: "done" }, context);
  expect(found).toEqual([{ card: 7, days: 2 }]);
});
