/** Randomness has a single source: generators and hashes are in `packages/protocol/src/seeded-random.ts`. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { typeScriptFiles } from "../../scripts/health/source-files.ts";

const ROOT = join(import.meta.dirname, "../..");
const MODULE = "packages/protocol/src/seeded-random.ts";

/** Patterns of 32-bit generators and hashes: the multiplication, and known multipliers. */
const GENERATOR =
  /Math\.imul|48_?271\b|16_?807\b|1_?664_?525\b|6364136223846793005|0x6d2b79f5|0x9e3779b9|0x0?100_?0193\b|16_?777_?619\b/i;

/** Files that multiply 32-bit integers, with the reason. */
const MULTIPLIES: Readonly<Record<string, string>> = {
  "apps/demo/src/environment/shop-task.test.ts": "a recorded digest covers seeds of every size",
  "packages/engine/src/contract/train-engine.fixture.ts":
    "the bound on gradients in f16 was measured with its derivatives",
  "packages/text/src/grammar/mask-digest.fixture.ts": "a recorded digest depends on its sequence",
  "trainer/src/pretrain/corpus.ts": "the shop's base model was taught with seeds spread this way",
};

/** Files whose random numbers need not be reproducible. */
const UNSEEDED: Readonly<Record<string, string>> = {
  "packages/collector/src/consent-receipts.ts":
    "jitter between retries, and pauses that keep the ids of a visitor apart",
  "packages/collector/src/uploader.ts": "jitter between retries",
  "packages/engine/src/remote/http-transport.ts": "jitter between retries",
  "packages/runtime/src/store/backoff.ts": "jitter between retries",
  "trainer/src/edge/edge-transport.ts": "jitter between retries",
};

function filesWith(pattern: RegExp): string[] {
  const others = typeScriptFiles().filter(
    (file) => file !== MODULE && !import.meta.filename.endsWith(file),
  );
  return others.filter((file) => pattern.test(readFileSync(join(ROOT, file), "utf8")));
}

test("no other file implements a generator or a hash", () => {
  expect(filesWith(GENERATOR)).toEqual(Object.keys(MULTIPLIES));
  expect(readFileSync(join(ROOT, MODULE), "utf8")).toMatch(GENERATOR);
});

test("only the jitter of retries is unseeded", () => {
  expect(filesWith(/Math\.random/)).toEqual(Object.keys(UNSEEDED));
});

test("normal numbers are drawn in two places: singly, or in pairs for a whole tensor", () => {
  expect(filesWith(/Math\.sqrt\(-2 \* Math\.log/)).toEqual([
    "packages/learning/src/gradient-free/seeded-noise.ts",
  ]);
});
