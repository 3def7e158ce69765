import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { skipOutside } from "../../../../test/fixtures/long.ts";
import type { MemoryReport } from "./steps-leave-nothing.fixture.ts";

/** Runs the fixture in a process of its own, whose memory is only the engine's. */
async function hundredSteps(...args: readonly string[]): Promise<MemoryReport> {
  const fixture = join(import.meta.dirname, "steps-leave-nothing.fixture.ts");
  const flags = ["--conditions=source", "--expose-gc"];
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, fixture, ...args]);
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as MemoryReport;
}

test.concurrent.for(["cpu", "wasm", "cpu layers"])(
  "a hundred steps on %s leak no tensor and no buffer",
  async (run, context) => {
    skipOutside(run === "cpu", context);
    const { arrays, heap, resident, gradients } = await hundredSteps(...run.split(" "));
    // Arrays: less than one step's gradients. Native memory: less than four fifths of a hundred steps'
    // gradients, because allocators hold on to pages and V8 to code.
    expect(arrays).toBeLessThan(gradients);
    expect(heap).toBeLessThan(2 * gradients);
    expect(resident).toBeLessThan(80 * gradients);
  },
);

test.concurrent("control: a hundred leaked sets of gradients are detected", async () => {
  const { arrays, gradients } = await hundredSteps("cpu", "keep");
  expect(arrays).toBeGreaterThan(99 * gradients);
});
