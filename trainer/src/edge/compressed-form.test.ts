import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { compressedForm } from "./compressed-form.ts";

test("bytes that repeat have a smaller form, which decompresses to them", async () => {
  const bytes = new TextEncoder().encode("waggle ".repeat(1000));
  const form = await compressedForm(bytes);
  expect(form?.length).toBeLessThan(bytes.length / 10);
  expect(new Uint8Array(gunzipSync(form ?? new Uint8Array()))).toEqual(bytes);
});

test("bytes that do not repeat, and short ones, have none", async () => {
  const random = crypto.getRandomValues(new Uint8Array(50_000));
  expect(await compressedForm(random)).toBeNull();
  expect(await compressedForm(new Uint8Array([1, 2, 3]))).toBeNull();
  expect(await compressedForm(new Uint8Array())).toBeNull();
});
