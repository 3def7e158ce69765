/**
 * Finds banned words in source files, pages and JSON files. Left out are recorded and generated files: evidence,
 * decisions, golden files, fixtures, lock files, and the API reference.
 */
import { globSync, readFileSync } from "node:fs";
import { join, matchesGlob } from "node:path";
import { ROOT } from "../root.ts";
import { typeScriptFiles } from "./source-files.ts";
import { BANNED_WORDS, type BannedWord } from "./vocabulary.ts";

const KINDS = "{css,html,json,jsonc,md,mjs,py,sql,wgsl,yml}";
const TEXTS = [
  `*.${KINDS}`,
  `{.changeset,.github,apps,docs,packages,scripts,test,trainer,workers}/**/*.${KINDS}`,
];
const RECORDS = [
  "**/node_modules/**",
  "**/dist/**",
  "**/package-lock.json",
  "**/{fixtures,golden,testdata}/**/*.json",
  "**/*.{fixture,golden}.json",
  "docs/{evidence,decisions}/**",
  "docs/.vitepress/cache/**",
  "docs/reference/api/**",
  "CHANGELOG.md",
];

/** Files that quote the words: the list of banned words, the list of words to use, and what people type and name. */
const LISTS = [
  "packages/testing/redaction-corpus/**/*.json",
  "packages/collector/src/redaction/{email,person,postal-address}.ts",
  "scripts/health/vocabulary.ts",
  "docs/reference/words.md",
  "apps/demo/src/environment/talk/wordings/**/*.ts",
  "packages/environments/src/invented-tools/{*-actions,*fields,subjects*,reasons,record-questions}.ts",
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
  return searchedFiles().flatMap(({ file, lines }) =>
    words
      .filter(
        ({ within = "**", except = {} }) =>
          matchesGlob(file, within) && !Object.keys(except).some((path) => matchesGlob(file, path)),
      )
      .flatMap(({ pattern, instead }) =>
        lines.flatMap((text, i) => {
          const found = pattern.exec(text);
          return found === null ? [] : [{ file, line: i + 1, word: found[0], instead }];
        }),
      ),
  );
}

/** Exceptions whose files no longer have the word, as `word: path`. */
export function unusedExceptions(words: readonly BannedWord[] = BANNED_WORDS): string[] {
  const files = searchedFiles();
  return words.flatMap(({ name, pattern, except = {} }) =>
    Object.keys(except)
      .filter(
        (path) =>
          !files.some(
            ({ file, lines }) =>
              matchesGlob(file, path) && lines.some((text) => pattern.test(text)),
          ),
      )
      .map((path) => `${name}: ${path}`),
  );
}

/** Paths relative to the root, with their lines. */
function searchedFiles(): { readonly file: string; readonly lines: readonly string[] }[] {
  const files = [...typeScriptFiles(), ...globSync(TEXTS, { cwd: ROOT, exclude: RECORDS })];
  const searched = files.filter((file) => !LISTS.some((list) => matchesGlob(file, list)));
  return searched.map((file) => ({
    file,
    lines: readFileSync(join(ROOT, file), "utf8").split("\n"),
  }));
}
