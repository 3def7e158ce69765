/** Finds banned words in source files and pages. Pages of evidence and decisions are records and are not searched. */
import { globSync, readFileSync } from "node:fs";
import { join, matchesGlob } from "node:path";
import { ROOT } from "../stack.ts";
import { typeScriptFiles } from "./source-files.ts";
import { BANNED_WORDS, type BannedWord } from "./vocabulary.ts";

const PAGES = ["*.md", "docs/**/*.md", "{packages,workers,apps}/*/README.md", "trainer/README.md"];
const RECORDS = [
  "**/node_modules/**",
  "docs/{evidence,decisions}/**",
  "docs/reference/api/**",
  "CHANGELOG.md",
];

/** A banned word and its replacement. */
export type FoundWord = {
  readonly file: string;
  readonly line: number;
  readonly word: string;
  readonly instead: string;
};

/** All banned words that occur. */
export function bannedWords(words: readonly BannedWord[] = BANNED_WORDS): FoundWord[] {
  const pages = globSync(PAGES, { cwd: ROOT, exclude: RECORDS });
  return [...typeScriptFiles(), ...pages].flatMap((file) => {
    const lines = readFileSync(join(ROOT, file), "utf8").split("\n");
    return words
      .filter(({ except = {} }) => !Object.keys(except).some((path) => matchesGlob(file, path)))
      .flatMap(({ pattern, instead }) =>
        lines.flatMap((text, i) => {
          const found = pattern.exec(text);
          return found === null ? [] : [{ file, line: i + 1, word: found[0], instead }];
        }),
      );
  });
}
