/** Chooses the mutants to try: a seeded sample of all mutants of a package. */
import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readSites } from "./mutation-sites.ts";

/** Source folders of the packages with a mutant count, by their name for `--package`. */
export const MUTATED_PACKAGES: { readonly [name: string]: string } = {
  protocol: "packages/protocol/src",
  learning: "packages/learning/src",
  environments: "packages/environments/src",
  evaluation: "packages/evaluation/src",
  edge: "workers/edge/src",
};

/** One change of one line. */
export type Mutation = {
  /** Stays the same as long as the line, its position among equal lines of the file, and the change are the same. */
  readonly id: string;
  readonly file: string;
  readonly line: number;
  readonly operator: string;
  readonly start: number;
  readonly end: number;
  readonly original: string;
  readonly replacement: string;
  readonly mark: number;
};

const NO_SOURCE = /\.(test|contract|fixture|bench|test-d|d)\.ts$|\/testing\//;

/** Whether a path relative to the root is a source in one of the folders. */
export function isSource(file: string, folders: readonly string[]): boolean {
  const isInside = folders.some((folder) => file.startsWith(`${folder}/`));
  return isInside && file.endsWith(".ts") && !NO_SOURCE.test(file);
}

/** Every mutant of a file. */
function mutationsOf(file: string, source: string): Mutation[] {
  const { sites } = readSites(file, source);
  const seen = new Map<string, number>();
  return sites.map(({ operator, start, end, text, mark }) => {
    const from = source.lastIndexOf("\n", start - 1) + 1;
    const until = source.indexOf("\n", start);
    const code = source.slice(from, until === -1 ? undefined : until);
    const change = JSON.stringify([file, code, start - from, end - start, operator, text]);
    const count = seen.get(change) ?? 0;
    seen.set(change, count + 1);
    const id = digest(`${change} ${count}`).slice(0, 12);
    const line = source.slice(0, start).split("\n").length;
    const original = source.slice(start, end);
    return { id, file, line, operator, start, end, original, replacement: text, mark };
  });
}

/**
 * The first `count` mutants of a seeded order. A file occurs in proportion to its share of lines. A change of one file
 * hardly affects the order of the others, and a shorter sample is a prefix of a longer one.
 *
 * Source: Efraimidis and Spirakis 2006, "Weighted random sampling with a reservoir".
 */
export function sampleMutations(
  root: string,
  folder: string,
  count: number,
  seed: number,
): Mutation[] {
  const files = globSync(`${folder}/**/*.ts`, { cwd: root }).filter((file) =>
    isSource(file, [folder]),
  );
  const drawn = files.flatMap((file) => {
    const source = readFileSync(join(root, file), "utf8");
    const all = mutationsOf(file, source);
    const weight = source.split("\n").length / all.length;
    return all.map((mutation) => ({
      mutation,
      order: -Math.log(uniform(`${seed} ${mutation.id}`)) / weight,
    }));
  });
  return drawn
    .toSorted((a, b) => a.order - b.order)
    .slice(0, count)
    .map(({ mutation }) => mutation);
}

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");

/** A number in (0, 1) derived from a text. */
const uniform = (text: string): number =>
  (Number.parseInt(digest(text).slice(0, 12), 16) + 0.5) / 2 ** 48;
