/**
 * What readers of blocks share. A block is the text after a begin marker. A reader gets all of the block that has
 * arrived and returns the calls found so far. With more text, its results only grow.
 */
import { isObject } from "@waggle/protocol";
import type { JsonSchema } from "@waggle/protocol";
import { excerpt, toCall } from "./parsed-call.ts";
import type { ParsedToolCall } from "./parsed-call.ts";
import { isRead, jsonMembers, parseJson, scanJson, scanSign, skipBlanks } from "./scan.ts";
import type { Scanned } from "./scan.ts";

/** A call as far as it has arrived. */
export type CallSoFar = {
  readonly name: string;
  /** The arguments so far, as JSON text. */
  readonly json: string;
  readonly call: ParsedToolCall | null;
};

/** What a reader found in a block. */
export type Block = {
  readonly calls: readonly CallSoFar[];
  /** How much of the text certainly belongs to the block, including an end marker. */
  readonly length: number;
  /** False while more text may belong to the block. */
  readonly hasEnded: boolean;
  /** Why the block cannot be parsed if it ends here. */
  readonly problem: string | null;
};

type BlockInput = {
  readonly text: string;
  /** True if no more text will arrive. */
  readonly isEnd: boolean;
  /** Parameter schemas by tool, for formats with untyped values. */
  readonly schemas: ReadonlyMap<string, JsonSchema>;
};

/** Reads the blocks of one format. */
export type BlockReader = (input: BlockInput) => Block;

/** Calls found, with a scanner's result or a problem in words. */
export type Calls = {
  readonly calls: readonly CallSoFar[];
  readonly scan: Scanned<unknown> | string;
};

export const isProblem = (scan: Calls["scan"]): scan is string =>
  typeof scan === "string" && scan !== "more" && scan !== "bad";

/** Reads a block that ends with an end marker. */
export function closedBlock(
  text: string,
  isEnd: boolean,
  open: string,
  close: string,
  read: (part: string) => Calls,
): Block {
  const { calls, scan } = read(text);
  const closing = isRead(scan) ? scanSign(text, scan.end, close) : scan;
  if (isRead(scan) && isRead(closing)) {
    return { calls, length: closing.end, hasEnded: true, problem: null };
  }
  // An end marker inside a value ends the block if the call proves to be broken.
  const at = text.indexOf(close);
  const certain = at === -1 ? text : text.slice(0, at + close.length);
  const broken = isProblem(scan) ? scan : unreadable(text.slice(0, at));
  return {
    calls: at === -1 ? calls : read(certain).calls,
    length: certain.length,
    hasEnded: isEnd || (at !== -1 && closing !== "more"),
    problem: at === -1 ? `${open} without ${close}` : broken,
  };
}

export const unreadable = (text: string): string =>
  `a tool call must hold JSON, got ${excerpt(text)}`;

/** `{"name": …, "arguments": {…}}` */
export function jsonCall(text: string, at: number, keys: readonly string[]): Calls {
  const start = skipBlanks(text, at);
  const scan = scanJson(text, start);
  if (!isRead(scan)) {
    return { calls: text[start] === "{" ? jsonSoFar(text, start, keys) : [], scan };
  }
  const value = parseJson(scan.value);
  if (value === undefined) return { calls: jsonSoFar(text, start, keys), scan: "bad" };
  if (!isObject(value)) {
    return { calls: [], scan: `a tool call must be a JSON object, got ${excerpt(value)}` };
  }
  const key = keys.find((name) => value[name] !== undefined) ?? keys[0];
  const call = toCall(value["name"], value[key as string]);
  if (typeof call === "string") return { calls: jsonSoFar(text, start, keys), scan: call };
  const json = jsonSoFar(text, start, keys)[0]?.json ?? JSON.stringify(call.arguments);
  return { calls: [{ name: call.name, json, call }], scan };
}

function jsonSoFar(text: string, start: number, keys: readonly string[]): CallSoFar[] {
  const members = jsonMembers(text, start);
  const slice = (name: string) => {
    const member = members.find(({ key }) => key === name);
    return member && text.slice(member.start, member.end ?? text.length);
  };
  const nameMember = members.find(({ key, end }) => key === "name" && end !== null);
  const name = nameMember && parseJson(text.slice(nameMember.start, nameMember.end as number));
  if (typeof name !== "string") return [];
  const key = keys.find((one) => slice(one) !== undefined);
  return begunCall(name, key === undefined ? "" : (slice(key) ?? ""));
}

/** A call that has a name but is not complete. */
export const begunCall = (name: string, json: string): CallSoFar[] =>
  name === "" ? [] : [{ name, json, call: null }];
