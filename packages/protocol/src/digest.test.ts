import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalJson, fileListDigest, sha256 } from "./digest.ts";

test("sha256 of bytes and of text equals the digest from node:crypto", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "grapheme" }), async (text) => {
      const expected = createHash("sha256").update(text, "utf8").digest("hex");
      expect(await sha256(text)).toBe(expected);
      expect(await sha256(new TextEncoder().encode(text))).toBe(expected);
    }),
  );
});

test("canonical JSON parses back to the value and ignores the order of keys", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const plain: unknown = JSON.parse(JSON.stringify(value));
      expect(JSON.parse(canonicalJson(plain))).toEqual(plain);
    }),
  );
  expect(canonicalJson({ b: [1, { d: null, c: "x" }], a: 1.5 })).toBe(
    '{"a":1.5,"b":[1,{"c":"x","d":null}]}',
  );
  expect(canonicalJson({ a: undefined, b: 1 })).toBe('{"b":1}');
});

test("a file list's digest ignores the order of files and changes with their content", async () => {
  const a = { path: "config.json", sha256: "1".repeat(64) };
  const b = { path: "model.safetensors", sha256: "2".repeat(64) };
  expect(await fileListDigest([a, b])).toBe(await fileListDigest([b, a]));
  expect(await fileListDigest([a, b])).not.toBe(
    await fileListDigest([a, { ...b, sha256: "3".repeat(64) }]),
  );
});
