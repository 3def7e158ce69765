/** Our `LanguageModel` beside Chromium's own: members, and the outcome of odd options. */
import { expect, test } from "vitest";
import { isLong } from "../fixtures/long.ts";
import counterpart from "../interop/prompt-api.interop.ts";

test.runIf(isLong())("it has Chromium's members and refuses what Chromium refuses", async () => {
  const { passed, failed } = await counterpart.run();
  expect(failed).toEqual([]);
  expect(passed).toBeGreaterThan(40);
});
