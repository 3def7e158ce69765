import { expect, test } from "vitest";
import { z } from "zod";
import { readJson } from "./body.ts";

const read = (text: string, type = "application/json"): Promise<unknown> =>
  readJson(
    new Request("https://edge.example", {
      method: "POST",
      headers: { "content-type": type },
      body: text,
    }),
    z.unknown(),
  );

const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);

test("a body may nest 40 levels, of arrays and objects together", async () => {
  await expect(read(nested(40))).resolves.toBeInstanceOf(Array);
  const refused = {
    code: "SCHEMA_INVALID",
    message: expect.stringContaining("40 levels") as string,
  };
  await expect(read(nested(41))).rejects.toMatchObject(refused);
  await expect(read(`{"a":${nested(40)}}`)).rejects.toMatchObject(refused);
  // Siblings do not add up.
  await expect(read(`[${nested(39)},${nested(39)}]`)).resolves.toBeInstanceOf(Array);
});

test("brackets in texts do not nest, also after an escaped quote", async () => {
  const text = `\\"${"[".repeat(50)}`;
  await expect(read(`["${text}"]`)).resolves.toEqual([`"${"[".repeat(50)}`]);
  await expect(read(`{"${text}": 1}`)).resolves.toEqual({ [`"${"[".repeat(50)}`]: 1 });
  // A text that ends in a backslash ends at its quote.
  await expect(read(`["a\\\\", ${nested(40)}]`)).rejects.toMatchObject({ code: "SCHEMA_INVALID" });
});

test.each([
  "application/json",
  "Application/JSON; charset=utf-8",
  "application/json ;charset=utf-8",
])("a body of the type %s is read as JSON", async (type) => {
  await expect(read("[1]", type)).resolves.toEqual([1]);
});

test.each(["application/json-patch+json", "application/jsonl", "text/plain; application/json"])(
  "a body of the type %s is not read as JSON",
  async (type) => {
    await expect(read("[1]", type)).rejects.toMatchObject({ code: "UNSUPPORTED_MEDIA_TYPE" });
  },
);
