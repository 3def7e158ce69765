/** Reads JSON Lines: one value per line, with empty lines ignored. */
import { WaggleError } from "@waggle/protocol";

/** A value with its line number, counted from 1. */
export type JsonLine = { readonly line: number; readonly value: unknown };

/**
 * The values of a file with their line numbers. If the file is a single JSON array, its entries are returned
 * (ADP's samples and some of OpenAI's exports are arrays).
 *
 * @throws WaggleError `SCHEMA_INVALID` with the number of a line that is not JSON.
 */
export function readJsonLines(text: string): JsonLine[] {
  const body = text.startsWith("\uFEFF") ? text.slice(1) : text;
  if (body.trimStart().startsWith("[")) {
    return (parseLine(body, 1) as unknown[]).map((value, i) => ({ line: i + 1, value }));
  }
  return body
    .split("\n")
    .flatMap((line, i) =>
      line.trim() === "" ? [] : [{ line: i + 1, value: parseLine(line, i + 1) }],
    );
}

function parseLine(text: string, line: number): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new WaggleError(
      "SCHEMA_INVALID",
      `line ${line} is not JSON: ${JSON.stringify(text.slice(0, 60))}; the file must have one JSON value per line`,
      { cause },
    );
  }
}
