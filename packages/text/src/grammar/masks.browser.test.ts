import { expect, test } from "vitest";
import { MASK_DIGEST, maskDigest } from "./mask-digest.fixture.ts";

test("masks in Chromium equal those that Node computes", async () => {
  expect(await maskDigest()).toBe(MASK_DIGEST);
});
