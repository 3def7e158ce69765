/** Event files are byte-identical to those of TensorBoard's own writer. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fileVersionRecord, restartRecord, scalarsRecord } from "./event-file.ts";

const golden = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../../test/golden/tensorboard/events.json"), "utf8"),
) as { hex: string };

test("records are byte-identical to TensorBoard's", () => {
  const records = [
    fileVersionRecord(1_700_000_000.25),
    scalarsRecord(1_700_000_001.5, 1, { "learn/loss": 0.5, "heldOut/success": 0.25 }),
    scalarsRecord(1_700_000_002, 300, { "learn/gradientNorm": -1.5e-3 }),
    restartRecord(1_700_000_003.75, 300),
    scalarsRecord(1_700_000_004, 5_000_000_000, { é: Infinity }),
  ];
  expect(Buffer.concat(records).toString("hex")).toBe(golden.hex);
});
