/**
 * Prompt datasets of users: a file of JSON lines or a JSON array, on disk or in a package, or a module that
 * exports rows or a function that returns them.
 */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { type PromptRow, promptRow } from "@waggle/environments";
import { WaggleError } from "@waggle/protocol";
import { loadExport, moduleSource, resolvedFile } from "./module-source.ts";

export type PromptDataset = {
  /** Of the environment that is made of it. */
  readonly name: string;
  readonly rows: readonly PromptRow[];
  /** Tells datasets with other contents apart. */
  readonly sha256: string;
};

type Rows = Iterable<unknown> | AsyncIterable<unknown>;

const DATA_FILE = /\.(jsonl|ndjson|json)$/i;
/** Longest name of an environment that is made of a dataset. */
const NAME_LENGTH = 48;

/** @throws WaggleError `INVALID_ARGUMENT` naming the row that cannot be read, `NOT_FOUND`. */
export async function promptDatasetFrom(
  source: string,
  folder: string = process.cwd(),
): Promise<PromptDataset> {
  const values = DATA_FILE.test(source)
    ? await fileRows(source, folder)
    : await moduleRows(source, folder);
  const rows = values.map((value, i) => promptRow(value, `--dataset ${source}: row ${i + 1}`));
  const hash = createHash("sha256");
  for (const { columns } of rows) hash.update(`${JSON.stringify(columns)}\n`);
  return { name: nameOf(source), rows, sha256: hash.digest("hex") };
}

async function fileRows(source: string, folder: string): Promise<unknown[]> {
  // A bare `prompts.jsonl` is a file here; `some-package/prompts.jsonl` is one of a package.
  const path = source.includes("/") || source.includes("\\") ? source : `./${source}`;
  const text = await readFile(resolvedFile("--dataset", path, folder), "utf8");
  if (/\.json$/i.test(source)) {
    const whole = parsed(text, `--dataset ${source}`);
    if (Array.isArray(whole)) return whole;
    throw refusal(source, "holds no array; write one row of JSON a line, as .jsonl, or an array");
  }
  return text.split("\n").flatMap((line, i) => {
    if (line.trim() === "") return [];
    return [parsed(line, `--dataset ${source}: line ${i + 1}`)];
  });
}

async function moduleRows(source: string, folder: string): Promise<unknown[]> {
  const exported = await loadExport("--dataset", source, folder);
  const given: unknown =
    typeof exported === "function" ? await (exported as () => unknown)() : exported;
  if (!isIterable(given)) {
    throw refusal(
      source,
      `gives ${typeof given}; export an array of rows, or a function that returns rows`,
    );
  }
  const rows: unknown[] = [];
  for await (const row of given) rows.push(row);
  return rows;
}

function isIterable(value: unknown): value is Rows {
  if (typeof value !== "object" || value === null) return false;
  return Symbol.iterator in value || Symbol.asyncIterator in value;
}

function parsed(text: string, place: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new WaggleError("INVALID_ARGUMENT", `${place} is not JSON: ${text.slice(0, 80)}`, {
      cause,
    });
  }
}

function nameOf(source: string): string {
  const { module, exportName } = moduleSource(source);
  const file = basename(module).replace(/\.\w+$/, "");
  const name = exportName === "default" ? file : `${file}-${exportName}`;
  return `data-${name.replaceAll(/[^\w-]+/g, "-").slice(0, NAME_LENGTH)}`;
}

function refusal(source: string, what: string): WaggleError {
  return new WaggleError("INVALID_ARGUMENT", `--dataset ${source} ${what}`);
}
