/**
 * Runs of an experiment on disk: one JSON object per line, appended as they finish, so that an
 * interruption loses none.
 */
import { appendFile, mkdir, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { TrialRun } from "./trial.ts";

/** @returns the stored runs; a truncated last line is ignored */
export async function readRuns(path: string): Promise<TrialRun[]> {
  const text = await textOf(path);
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  return whole
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as TrialRun);
}

/** Appends one run. */
export async function appendRun(path: string, run: TrialRun): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await appendFile(path, `${JSON.stringify(run)}\n`);
}

/** The file's text; empty if there is no file yet. */
export async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}
