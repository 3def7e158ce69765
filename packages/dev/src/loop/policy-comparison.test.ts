/** The final comparison, by a real process with the nano model. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ENVIRONMENTS, type EnvironmentSpec } from "@waggle/environments";
import { afterAll, expect, test } from "vitest";
import { stopAll } from "../processes/managed-process.ts";
import type { Site } from "../site/site.ts";
import { comparePolicies } from "./policy-comparison.ts";

const folder = mkdtempSync(join(tmpdir(), "waggle-comparison-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const model = join(import.meta.dirname, "../../../model/nano");
const site: Site = {
  name: "strings",
  project: folder,
  isWholeProject: false,
  environment: ENVIRONMENTS[0] as EnvironmentSpec,
  source: "strings",
  settings: {},
};

test("without a deployed version, the base alone has figures", async () => {
  const onLine = () => {};
  const measured = await comparePolicies({ folder, model, site, version: 0, tasks: 4, onLine });
  expect(measured.tasks).toBe(4);
  expect(measured.base).toBeGreaterThanOrEqual(0);
  expect(measured.final).toBeNull();
  expect(measured.temperatures.map(({ temperature, final }) => [temperature, final])).toEqual([
    ["greedy", null],
    ["0.5", null],
  ]);
}, 240_000);

test("the comparison reports its progress, and a stop ends it at once", async () => {
  const lines: string[] = [];
  const run = comparePolicies({
    folder,
    model,
    site,
    version: 0,
    tasks: 40,
    onLine: (_, line) => {
      lines.push(line);
      void stopAll();
    },
  });
  await expect(run).rejects.toThrow("the final evaluation failed with exit code 130");
  // On a busy machine the first report comes before the last task.
  expect(lines[0]).toMatch(/^version 0 at temperature 1: \d+ of 40 tasks$/);
}, 240_000);
