import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import type { MemoryReport } from "./steps-leave-nothing.fixture.ts";

/** In a process of its own, whose memory is only the engine's. */
async function hundredSteps(...args: readonly string[]): Promise<MemoryReport> {
  const fixture = join(import.meta.dirname, "steps-leave-nothing.fixture.ts");
  const flags = ["--conditions=source", "--expose-gc"];
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, fixture, ...args]);
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as MemoryReport;
}

test.concurrent.each(["cpu", "wasm", "cpu layers"])(
  "a hundred steps on %s leave no tensor and no buffer behind",
  async (run) => {
    const { arrays, heap, resident, gradients } = await hundredSteps(...run.split(" "));
    // Less than the gradients of one step in arrays; of native memory, which allocators keep in
    // pages and V8 for code, less than four fifths of what a hundred would take.
    expect(arrays).toBeLessThan(gradients);
    expect(heap).toBeLessThan(2 * gradients);
    expect(resident).toBeLessThan(80 * gradients);
  },
);

test.concurrent("control: a hundred kept sets of gradients are seen", async () => {
  const { arrays, gradients } = await hundredSteps("cpu", "keep");
  expect(arrays).toBeGreaterThan(99 * gradients);
});
