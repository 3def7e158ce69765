/**
 * The first tool call of a rollout whose result in the page differs from the one in the environment. The texts come
 * from a page: they are short, what does not show is escaped, and members that are named like secrets are masked.
 */
import { z } from "zod";
import { canonicalJson } from "./digest.ts";
import type { ToolCall, ToolResult } from "./tool.ts";

/**
 * Control characters, direction marks, zero-width characters, line separators, lone surrogates, private-use characters
 * and tags. Written as ranges, because the classes of Unicode differ between the versions of trainer and edge.
 */
const HIDDEN =
  /[\p{Cc}\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\uf8ff\ufeff\u{e0000}-\u{e0fff}]/gu;
const SECRET =
  /pass(?:word|phrase|code)|secret|credential|api.?key|(?:access|auth|session).?token|authorization|cookie/i;
const MOST_CHARACTERS = 200;
/** Characters before the first difference. */
const BEFORE = 40;

const excerpt = (most: number) =>
  z
    .string()
    .max(most)
    .refine((text) => text.search(HIDDEN) < 0, { message: "must have no hidden characters" });

/** A tool call, and parts of its arguments and results as JSON. */
export type ToolDifference = z.infer<typeof ToolDifference>;
export const ToolDifference = z.strictObject({
  /** From 1. */
  turn: z.int().min(1).max(1_000_000),
  tool: excerpt(64),
  arguments: excerpt(MOST_CHARACTERS),
  inPage: excerpt(MOST_CHARACTERS),
  inEnvironment: excerpt(MOST_CHARACTERS),
});

/** The difference between two results of one call, as excerpts around the first character that differs. */
export function toolDifference(
  turn: number,
  call: ToolCall | undefined,
  inPage: ToolResult | undefined,
  inEnvironment: ToolResult | undefined,
): ToolDifference {
  const [page, environment] = differingExcerpts(
    shown(inPage),
    shown(inEnvironment),
    MOST_CHARACTERS,
  );
  return {
    turn,
    tool: cut(escaped(call?.name ?? "a tool"), 64),
    arguments: cut(maskedJson(call?.arguments ?? {}), MOST_CHARACTERS),
    inPage: page,
    inEnvironment: environment,
  };
}

/** Excerpts of two texts that show the first difference. @param most - characters of each */
export function differingExcerpts(
  one: string,
  other: string,
  most: number,
): readonly [string, string] {
  let same = 0;
  while (same < one.length && one[same] === other[same]) same += 1;
  const start = same < most - BEFORE ? 0 : same - BEFORE;
  return [cut(one, most, start), cut(other, most, start)];
}

/** A result as one line, with secrets masked. */
function shown(result: ToolResult | undefined): string {
  if (result === undefined) return "nothing";
  if (result.ok) return maskedJson(result.value);
  return escaped(`the error ${result.error.code}: ${result.error.message}`);
}

function maskedJson(value: unknown): string {
  const sorted: unknown = JSON.parse(canonicalJson(value));
  const masked = JSON.stringify(sorted, (name, member: unknown) =>
    SECRET.test(name) ? "…" : member,
  );
  return escaped(masked);
}

function escaped(text: string): string {
  return text.replace(HIDDEN, (hidden) => `\\u{${(hidden.codePointAt(0) as number).toString(16)}}`);
}

/** At most so many characters, without half a pair at either end. */
function cut(text: string, most: number, start = 0): string {
  const [before, after] = [start > 0 ? "…" : "", text.length - start > most - 1 ? "…" : ""];
  const part = text.slice(start, start + most - before.length - after.length);
  return before + part.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, "") + after;
}
