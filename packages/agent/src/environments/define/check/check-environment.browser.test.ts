/** The checks say the same in a browser as in Node: tasks, calls, results and verdicts are equal. */
import { expect, test } from "vitest";
import golden from "./check-messages.golden.json" with { type: "json" };
import { soundLines } from "./colors-environment.fixture.ts";

test("a sound environment passes every check in a browser, with the same numbers as in Node", async () => {
  expect(await soundLines()).toEqual(golden.sound);
});
