/** JSON lines: one value a line; empty lines do not count. */
import { WaggleError } from "@waggle/protocol";

export type JsonLine = { readonly line: number; readonly value: unknown };

/**
 * The values of a file, with their line numbers from 1. A file that is one JSON array gives its entries
 * (ADP's samples and some of OpenAI's exports are written so).
 *
 * @throws WaggleError `SCHEMA_INVALID` naming the line that is not JSON.
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
      `every line must be JSON, got ${JSON.stringify(text.slice(0, 60))} at line ${line}; write one JSON value a line`,
      { cause },
    );
  }
}
