import { expect, test } from "vitest";
import { MASK_DIGEST, maskDigest } from "./mask-digest.fixture.ts";

test("masks in Node equal the recorded ones", async () => {
  expect(await maskDigest()).toBe(MASK_DIGEST);
});
