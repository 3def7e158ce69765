import { expect, test } from "vitest";
import { ProgressWriter } from "./progress.ts";

const MB = 1e6;

function writer(options: { readonly json?: boolean; readonly isTerminal?: boolean } = {}) {
  const { json = false, isTerminal = false } = options;
  const written: string[] = [];
  const shown: string[] = [];
  let now = 0;
  const progress = new ProgressWriter({
    writeError: (line) => written.push(line),
    json,
    terminal: isTerminal ? { write: (text) => shown.push(text) } : null,
    now: () => now,
  });
  const at = (ms: number, step: string, doneBytes?: number, totalBytes?: number | null): void => {
    now = ms;
    progress.show({
      step,
      ...(doneBytes !== undefined && { doneBytes }),
      ...(totalBytes !== undefined && { totalBytes }),
    });
  };
  return { progress, at, written, shown };
}

test("without a terminal, the first line comes after two seconds, the next ones every ten or with a step", () => {
  const { at, written } = writer();
  at(0, "downloading", 0, 40 * MB);
  at(1900, "downloading", 1 * MB, 40 * MB);
  at(2000, "downloading", 10 * MB, 40 * MB);
  at(9000, "downloading", 20 * MB, 40 * MB);
  at(12_000, "downloading", 30 * MB, null);
  at(13_000, "measuring");
  expect(written).toEqual([
    "downloading: 10.0 of 40.0 MB (25 %)",
    "downloading: 30.0 MB",
    "measuring …",
  ]);
});

test("with --json, the lines are JSON, also on a terminal", () => {
  const { at, written, shown } = writer({ json: true, isTerminal: true });
  at(3000, "converting", 1, 2);
  expect(written.map((line) => JSON.parse(line) as object)).toEqual([
    { event: "progress", step: "converting", doneBytes: 1, totalBytes: 2 },
  ]);
  expect(shown).toEqual([]);
});

test("on a terminal, one line is rewritten and removed at the end", () => {
  const { at, progress, written, shown } = writer({ isTerminal: true });
  progress.end();
  at(0, "reading");
  at(50, "downloading", 0, MB);
  at(99, "downloading", 1, MB);
  at(150, "downloading", MB, MB);
  progress.end();
  progress.end();
  expect(shown).toEqual([
    "\r\u001B[Kreading …",
    "\r\u001B[Kdownloading: 0.0 of 1.0 MB (0 %)",
    "\r\u001B[Kdownloading: 1.0 of 1.0 MB (100 %)",
    "\r\u001B[K",
  ]);
  expect(written).toEqual([]);
});
