/** One reader of blocks for each way to write calls. Hermes' is in `hermes.ts`. */
import { isObject } from "@waggle/protocol";
import type { JsonSchema } from "@waggle/protocol";
import {
  GEMMA_CLOSE,
  GEMMA_OPEN,
  LFM_CLOSE,
  LFM_OPEN,
  MISTRAL_ARGUMENTS,
  MISTRAL_CALL_ID,
  MISTRAL_CALLS,
  TOOL_CALL_CLOSE,
  TOOL_CALL_OPEN,
} from "./markers.ts";
import { begunCall, closedBlock, isProblem, jsonCall, unreadable } from "./block.ts";
import type { Block, BlockReader, Calls, CallSoFar } from "./block.ts";
import { toCall } from "./parsed-call.ts";
import { isRead, parseJson, scanJson, scanSign, skipBlanks } from "./scan.ts";
import type { Scan } from "./scan.ts";
import { scanGemmaEntry, scanLiteral, scanName } from "./scan-literal.ts";

/** `<tool_call><function=name><parameter=key>value</parameter></function></tool_call>` */
export const readXmlBlock: BlockReader = ({ text, isEnd, schemas }) =>
  closedBlock(text, isEnd, TOOL_CALL_OPEN, TOOL_CALL_CLOSE, (part) => xmlCall(part, schemas));

/** `<|tool_call_start|>[name(key="text")]<|tool_call_end|>` */
export const readLfmBlock: BlockReader = ({ text, isEnd }) =>
  closedBlock(text, isEnd, LFM_OPEN, LFM_CLOSE, (part) => pythonCalls(part, 0));

/** `<start_function_call>call:name{key:<escape>text<escape>}<end_function_call>` */
export const readGemmaBlock: BlockReader = ({ text, isEnd }) =>
  closedBlock(text, isEnd, GEMMA_OPEN, GEMMA_CLOSE, gemmaCall);

/** `[TOOL_CALLS][{json}, …]` or `[TOOL_CALLS]name[ARGS]{json}`. Ends with the turn. */
export const readMistralBlock: BlockReader = ({ text, isEnd }) => {
  const start = skipBlanks(text, 0);
  const begun = text.slice(start);
  const isMarker = begun.startsWith(MISTRAL_CALLS) || MISTRAL_CALLS.startsWith(begun);
  if (text[start] === "[" && !isMarker) {
    return openBlock(
      text,
      isEnd,
      listOf(text, start, (at) => jsonCall(text, at, ["arguments"])),
    );
  }
  const { calls, scan } = namedJsonCall(text);
  let mayContinue = scan === "more";
  if (isRead(scan)) {
    const length = skipBlanks(text, scan.end);
    const rest = text.slice(length);
    if (rest.startsWith(MISTRAL_CALLS) || (rest === "" && isEnd)) {
      return { calls, length, hasEnded: true, problem: null };
    }
    mayContinue = MISTRAL_CALLS.startsWith(rest);
  }
  // A marker inside a value ends the block if the call proves to be broken.
  const next = text.indexOf(MISTRAL_CALLS);
  const certain = next === -1 ? text : text.slice(0, next);
  return {
    calls: next === -1 ? calls : namedJsonCall(certain).calls,
    length: certain.length,
    hasEnded: isEnd || (next !== -1 && !mayContinue),
    problem: isProblem(scan) ? scan : unreadable(certain),
  };
};

/** `{json}; {json}`, or a Python list of calls, until the end of the turn. */
export const readLlamaBlock: BlockReader = ({ text, isEnd }) => {
  const start = skipBlanks(text, 0);
  if (text[start] === "[") return openBlock(text, isEnd, pythonCalls(text, start));
  if (/[A-Za-z_]/.test(text[start] ?? "")) return openBlock(text, isEnd, pythonCall(text, start));
  const keys = ["parameters", "arguments"];
  const calls: CallSoFar[] = [];
  for (let at = start; ;) {
    const next = jsonCall(text, at, keys);
    calls.push(...next.calls);
    if (!isRead(next.scan)) return openBlock(text, isEnd, { calls, scan: next.scan });
    const separator = scanSign(text, next.scan.end, ";");
    if (!isRead(separator)) return openBlock(text, isEnd, { calls, scan: next.scan });
    at = skipBlanks(text, separator.end);
  }
};

/** Reads a block that ends with the turn. */
function openBlock(text: string, isEnd: boolean, { calls, scan }: Calls): Block {
  const isWhole = isRead(scan) && skipBlanks(text, scan.end) === text.length;
  const problem = isWhole ? null : isProblem(scan) ? scan : unreadable(text);
  return { calls, length: text.length, hasEnded: isEnd, problem };
}

/** `name[ARGS]{json}`, with an optional id in between. */
function namedJsonCall(text: string): Calls {
  const marker = text.indexOf(MISTRAL_ARGUMENTS);
  const next = text.indexOf(MISTRAL_CALLS);
  if (next !== -1 && (marker === -1 || next < marker)) return { calls: [], scan: "bad" };
  if (marker === -1) return { calls: [], scan: "more" };
  const name = (text.slice(0, marker).split(MISTRAL_CALL_ID)[0] as string).trim();
  const start = skipBlanks(text, marker + MISTRAL_ARGUMENTS.length);
  const scan = scanJson(text, start);
  const json = isRead(scan) ? scan.value : text.slice(start);
  const soFar = text[start] === "{" ? begunCall(name, json) : [];
  if (!isRead(scan)) return { calls: soFar, scan };
  const value = parseJson(json);
  const call = value === undefined ? "bad" : toCall(name, value);
  if (typeof call === "string") return { calls: soFar, scan: call };
  return { calls: [{ name, json, call }], scan };
}

/** Calls in brackets, separated by commas. */
function listOf(text: string, start: number, read: (at: number) => Calls): Calls {
  const calls: CallSoFar[] = [];
  let at = skipBlanks(text, start + 1);
  for (;;) {
    const next = read(at);
    calls.push(...next.calls);
    if (!isRead(next.scan)) return { calls, scan: next.scan };
    at = skipBlanks(text, next.scan.end);
    if (text[at] === "]") return { calls, scan: { value: null, end: at + 1 } };
    if (text[at] !== ",") return { calls, scan: at >= text.length ? "more" : "bad" };
    at = skipBlanks(text, at + 1);
  }
}

function pythonCalls(text: string, at: number): Calls {
  const open = scanSign(text, at, "[");
  if (!isRead(open)) return { calls: [], scan: open };
  return listOf(text, open.end - 1, (from) => pythonCall(text, from));
}

/** `name(key=value, …)` */
function pythonCall(text: string, at: number): Calls {
  const name = scanName(text, at);
  if (!isRead(name)) return { calls: [], scan: name };
  const open = scanSign(text, name.end, "(");
  if (!isRead(open)) return { calls: [], scan: open };
  // Llama's built-in tools are called like `brave_search.call(…)`.
  return argumentList(text, open.end, ")", name.value.replace(/\.call$/, ""), (from) => {
    const key = scanName(text, from);
    if (!isRead(key)) return key;
    const equals = scanSign(text, key.end, "=");
    if (!isRead(equals)) return equals;
    const value = scanLiteral(text, equals.end, "python");
    return isRead(value) ? { value: [key.value, value.value], end: value.end } : value;
  });
}

/** `call:name{key:value, …}` */
function gemmaCall(text: string): Calls {
  const start = scanSign(text, 0, "call:");
  if (!isRead(start)) return { calls: [], scan: start };
  const brace = text.indexOf("{", start.end);
  if (brace === -1) return { calls: [], scan: "more" };
  const name = text.slice(start.end, brace).trim();
  return argumentList(text, brace + 1, "}", name, (at) => scanGemmaEntry(text, at));
}

/** Named arguments up to a closing sign. Each becomes JSON once it is complete. */
function argumentList(
  text: string,
  start: number,
  close: string,
  name: string,
  scanArgument: (at: number) => Scan<[string, unknown]>,
): Calls {
  const args: [string, unknown][] = [];
  const soFar = () => begunCall(name, openJson(args));
  let at = skipBlanks(text, start);
  while (text[at] !== close) {
    if (at >= text.length) return { calls: soFar(), scan: "more" };
    const argument = scanArgument(at);
    if (!isRead(argument)) return { calls: soFar(), scan: argument };
    args.push(argument.value);
    at = skipBlanks(text, argument.end);
    if (text[at] === ",") at = skipBlanks(text, at + 1);
    else if (text[at] !== close) {
      return { calls: soFar(), scan: at >= text.length ? "more" : "bad" };
    }
  }
  return finished(name, args, at + 1);
}

function finished(name: string, args: readonly [string, unknown][], end: number): Calls {
  const call = toCall(name, Object.fromEntries(args));
  if (typeof call === "string") return { calls: [], scan: call };
  const json = args.length === 0 ? "{}" : `${openJson(args)}}`;
  return { calls: [{ name, json, call }], scan: { value: null, end } };
}

/** `{"a":1,"b":2` */
const openJson = (args: readonly [string, unknown][]): string =>
  args
    .map(
      ([key, value], i) => `${i === 0 ? "{" : ","}${JSON.stringify(key)}:${JSON.stringify(value)}`,
    )
    .join("");

const FUNCTION = /^\s*<function=([^>\n]*)>/;
const FUNCTION_CLOSE = "</function>";
const PARAMETER = /^\s*<parameter=([^>\n]*)>/;
const PARAMETER_CLOSE = "</parameter>";

function xmlCall(text: string, schemas: ReadonlyMap<string, JsonSchema>): Calls {
  const opening = FUNCTION.exec(text);
  if (opening === null) {
    return { calls: [], scan: couldBegin(text, "<function=") ? "more" : "bad" };
  }
  const name = (opening[1] as string).trim();
  const args: [string, unknown][] = [];
  let at = opening[0].length;
  for (;;) {
    const closing = scanSign(text, at, FUNCTION_CLOSE);
    if (isRead(closing)) return finished(name, args, closing.end);
    const rest = text.slice(at);
    const parameter = PARAMETER.exec(rest);
    const soFar = begunCall(name, openJson(args));
    if (parameter === null) {
      const isOpen = closing === "more" || couldBegin(rest, "<parameter=");
      return { calls: soFar, scan: isOpen ? "more" : "bad" };
    }
    const end = rest.indexOf(PARAMETER_CLOSE, parameter[0].length);
    if (end === -1) return { calls: soFar, scan: "more" };
    const key = (parameter[1] as string).trim();
    const value = rest.slice(parameter[0].length, end).replace(/^\n/, "").replace(/\n$/, "");
    args.push([key, xmlValue(value, propertyOf(schemas.get(name), key))]);
    at += end + PARAMETER_CLOSE.length;
  }
}

/** Whether a longer text could begin with the opening tag. */
function couldBegin(text: string, tag: string): boolean {
  const rest = text.trimStart();
  return tag.startsWith(rest) || (rest.startsWith(tag) && !/[>\n]/.test(rest));
}

function propertyOf(schema: JsonSchema | undefined, key: string): unknown {
  const properties = schema?.["properties"];
  return isObject(properties) ? properties[key] : undefined;
}

const PYTHON_WORDS: { readonly [word: string]: unknown } = { True: true, False: false, None: null };

/** A parameter's value: text if the schema requires it, otherwise JSON, a Python constant, or text. */
function xmlValue(text: string, schema: unknown): unknown {
  if (isObject(schema)) {
    const values = schema["enum"];
    const isText = Array.isArray(values)
      ? values.every((value) => typeof value === "string")
      : schema["type"] === "string" || typeof schema["const"] === "string";
    if (isText) return text;
  }
  if (text in PYTHON_WORDS) return PYTHON_WORDS[text];
  const value = parseJson(text);
  return value === undefined ? text : value;
}
