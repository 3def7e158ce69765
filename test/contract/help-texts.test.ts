/** Every help text has one form: it begins in lower case, ends without a period and names its default in brackets. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { expect, test } from "vitest";
import { createWaggle } from "../../packages/cli/src/program.ts";

const ROOT = join(import.meta.dirname, "../..");

/** Names and abbreviations that keep their capitals at the beginning of a text. */
const NAMES = /^(LoRA|Hugging Face|URL|CPU)\b/;

function irregular(texts: readonly string[]): string[] {
  return texts.filter(
    (text) =>
      text.endsWith(".") ||
      text.includes("; default:") ||
      (/^[A-Z]/.test(text) && !NAMES.test(text)),
  );
}

test("commands, arguments and options of waggle", () => {
  const program = createWaggle({
    signal: new AbortController().signal,
    writeOut: () => {},
    writeError: () => {},
    environment: {},
  });
  const textsOf = (command: Command): string[] => [
    command.description(),
    ...command.registeredArguments.map(({ description }) => description),
    ...command.options.map(({ description }) => description),
  ];
  const texts = [program, ...program.commands].flatMap(textsOf);
  expect(texts.length).toBeGreaterThan(200);
  expect(irregular(texts)).toEqual([]);
});

test("descriptions and options of the scripts and benchmarks", () => {
  const texts = globSync(["scripts/*.ts", "packages/*/bench/*.ts", "apps/demo/eval-base/*.ts"], {
    cwd: ROOT,
  }).flatMap((file) => {
    const source = readFileSync(join(ROOT, file), "utf8");
    const descriptions = source.matchAll(/description(?:\(|:)\s*"([^"]+)",?\s*(?:[\n)]|\+)/g);
    const options = source.matchAll(/[oO]ption\(\s*"-[^"]+",\s*["`]([^"`]+)/g);
    return [...descriptions, ...options].map(([, text = ""]) => text);
  });
  expect(texts.length).toBeGreaterThan(30);
  expect(irregular(texts)).toEqual([]);
});
