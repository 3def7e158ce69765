/** Finds the longest line of prose in the documentation. Tables, code, links and records are skipped. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../root.ts";

const PAGES = ["*.md", "docs/**/*.md", "{packages,workers,apps}/*/README.md", "trainer/README.md"];
const LEFT_OUT = [
  "**/node_modules/**",
  "docs/evidence/**",
  "docs/reference/api/**",
  "CHANGELOG.md",
];

/** A line and its length in characters. */
export type ProseLine = { readonly file: string; readonly line: number; readonly length: number };

/** The longest line of prose. */
export function longestProseLine(): ProseLine {
  let longest: ProseLine = { file: "", line: 0, length: 0 };
  for (const file of globSync(PAGES, { cwd: ROOT, exclude: LEFT_OUT })) {
    let inCode = false;
    const lines = readFileSync(join(ROOT, file), "utf8").split("\n");
    for (const [i, text] of lines.entries()) {
      if (/^\s*(```|~~~)/.test(text)) inCode = !inCode;
      if (inCode || /^\s*(\||<|!\[|\[[^\]]+\]:|---)/.test(text)) continue;
      const length = text.replaceAll(/\]\([^)]*\)/g, "]").length;
      if (length > longest.length) longest = { file, line: i + 1, length };
    }
  }
  return longest;
}
