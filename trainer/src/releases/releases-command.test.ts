import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { expect, onTestFinished, test } from "vitest";
import type { ReleaseReport } from "./release-study.ts";
import { releaseTables } from "./release-tables.ts";
import { addReleasesCommand } from "./releases-command.ts";

const EVIDENCE = join(import.meta.dirname, "../../../docs/evidence");

async function recorded(): Promise<ReleaseReport> {
  return JSON.parse(await readFile(join(EVIDENCE, "releases.json"), "utf8")) as ReleaseReport;
}

type Run = { readonly folder: string; readonly out: readonly string[] };

async function run(signal: AbortSignal, ...args: readonly string[]): Promise<Run> {
  const folder = await mkdtemp(join(tmpdir(), "waggle-releases-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const out: string[] = [];
  const program = new Command();
  addReleasesCommand(program, {
    signal,
    writeOut: (line) => out.push(line),
    writeError: () => {},
  });
  const common = ["releases", "--releases", "1", "--output", folder];
  await program.parseAsync(["node", "main.ts", ...common, ...args]);
  return { folder, out };
}

test("releases writes what it prints, and reports its progress", async () => {
  const { folder, out } = await run(new AbortController().signal, "--json");
  const lines = out.map((line) => JSON.parse(line) as Record<string, unknown>);
  const report = JSON.parse(await readFile(join(folder, "releases.json"), "utf8")) as ReleaseReport;
  expect(lines.at(-1)).toEqual(report);
  expect(lines.slice(0, -1).map(({ finished }) => finished)).toEqual(
    Array.from({ length: lines.length - 1 }, (_, i) => i + 1),
  );
  expect(lines.at(-2)?.["finished"]).toBe(lines.at(-2)?.["total"]);
  expect(Object.keys(report)).toEqual(Object.keys(await recorded()));
});

test("releases stops when it is interrupted", async () => {
  await expect(run(AbortSignal.abort())).rejects.toMatchObject({ name: "AbortError" });
});

test("the page of evidence has the tables of the recorded releases", async () => {
  const page = await readFile(join(EVIDENCE, "releases.md"), "utf8");
  const tables = releaseTables(await recorded());
  expect(tables).toHaveLength(8);
  for (const { lines } of tables) expect(page).toContain(lines.join("\n"));
});

test("the recorded releases meet the bars except for returning visitors at a base rate of 0.5", async () => {
  const { effects } = await recorded();
  const failing = effects.filter(({ effect, releases, ...counts }) => {
    if (effect === -0.1) return counts.rolledBackInTime < 0.95 * releases;
    if (effect === 0) return counts.rolledBack > 0.01 * releases;
    return effect === 0.1 && counts.better + counts.noWorse < 0.9 * releases;
  });
  expect(effects).toHaveLength(54);
  expect(failing).toMatchObject([{ base: 0.5, effect: -0.1, population: /^two requests/ }]);
});
