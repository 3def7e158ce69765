/** Environments of authors run in workerd as in Node: tasks, calls, results and verdicts are equal. */
import { expect, test } from "vitest";
import golden from "../../../packages/agent/src/environments/define/check/check-messages.golden.json" with { type: "json" };
import { soundLines } from "../../../packages/agent/src/environments/define/check/colors-environment.fixture.ts";

test("a sound environment passes every check in workerd, with the same numbers as in Node", async () => {
  expect(await soundLines()).toEqual(golden.sound);
});
