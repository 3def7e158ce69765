/**
 * `npm run bench:engine -- --only gpu` at sizes that run without a GPU. `npm test` leaves the measurement out:
 * `webgpu-engines.test.ts` compares gradients of the same adapter, and `resident-tensors.test.ts` counts transfers.
 */
import { beforeAll, expect, test } from "vitest";
import { gradientError } from "../../packages/engine/bench/gpu/measured-case.ts";
import { measuredRows, softwareRows } from "../../packages/engine/bench/scenarios/gpu.ts";
import type { BenchRow } from "../../packages/runtime/bench/row.ts";
import { isLong } from "../fixtures/long.ts";

/** A software adapter shares two cores with other processes; only a hang takes this long. */
const PATIENCE = 240_000;

const TRAINED = ["lora", "full"] as const;

const rows: BenchRow[] = [];
beforeAll(async () => {
  if (!isLong()) return;
  for await (const row of softwareRows()) rows.push(row);
}, PATIENCE);

/** The row of adapter training, or of full training, whose name ends in `end`. */
function rowOf(trains: "lora" | "full", end: string): BenchRow {
  const found = rows.filter(({ name }) => name.includes(trains) && name.endsWith(end));
  expect(found.length).toBe(1);
  return found[0] as BenchRow;
}

test.runIf(isLong())(
  "a software adapter computes the processor's gradients and reports all rows of each kind of step",
  () => {
    const kinds = [
      "share of the best product",
      "share of the bandwidth by reading matrices",
      "fed to the device in the first step",
      "fed to the device in a later step",
      "step",
    ];
    expect(rows.filter(({ agree }) => !agree)).toEqual([]);
    expect(rows.length).toBe(TRAINED.length * kinds.length);
    for (const kind of kinds) {
      for (const trains of TRAINED) {
        const { ours, peer, ratio, name } = rowOf(trains, `: ${kind}`);
        expect(name).toMatch(/swiftshader/i);
        expect(Math.min(ours, peer, ratio)).toBeGreaterThan(0);
      }
    }
  },
);

test.runIf(isLong())("frozen matrices are transferred once", () => {
  // Control: the counts of the first step include the matrices.
  expect(rowOf("lora", "in the first step").ratio).toBeGreaterThan(1);
  expect(rowOf("lora", "in a later step").ratio).toBeLessThan(0.4);
});

test.runIf(isLong())("trained matrices are transferred once per step", () => {
  expect(rowOf("full", "in a later step").ratio).toBeGreaterThan(0.95);
  expect(rowOf("full", "in a later step").ratio).toBeLessThan(1.1);
});

test("measuring fails without an adapter", async () => {
  const none = { VK_ICD_FILENAMES: "/nowhere.json", LD_LIBRARY_PATH: "/nowhere" };
  const run = measuredRows({ provider: "webgpu", size: "tiny", quick: true }, none);
  await expect(run.next()).rejects.toThrow("measuring webgpu failed");
});

test("missing, short and 1 % wrong gradients are not accepted as agreement", () => {
  const of = (...values: number[]) =>
    new Map([["w", { shape: [values.length], data: Float32Array.from(values) }]]);
  expect(gradientError(of(1, 2), of(1, 2))).toBe(0);
  expect(gradientError(of(1.01, 2.02), of(1, 2))).toBeCloseTo(0.01, 6);
  expect(gradientError(of(1), of(1, 2))).toBeNaN();
  expect(gradientError(new Map(), of(1, 2))).toBeNaN();
});
