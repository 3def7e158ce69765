import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { baseFormatArguments } from "./trainer-process.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "waggle-trainer-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const INT4 = { quantization_config: { quant_method: "waggle", block_size: 32, format: "int4" } };

test.each([
  ["plain numbers", {}, ""],
  ["4 bits", INT4, "--base int4"],
])("the trainer gets a model stored in %s as it is stored", (_, config, expected) => {
  writeFileSync(join(folder, "config.json"), JSON.stringify(config));
  expect(baseFormatArguments(folder).join(" ")).toBe(expected);
});
