/**
 * The table of tool-call formats: how each model family begins, writes and ends calls. Their grammars are in
 * `grammar/tool-calls-grammar.ts`.
 *
 * Sources: the chat templates of Hermes 3, Qwen2.5, Qwen3, Qwen3-Coder, Llama 3.1–3.3, Mistral v3 to
 * v13, LFM2 and FunctionGemma. Gemma 3 itself has neither tokens nor a template for tools; its family uses
 * FunctionGemma's format.
 */
import { isObject } from "@waggle/protocol";
import type { ToolCallFormat } from "@waggle/protocol";
import {
  readGemmaBlock,
  readLfmBlock,
  readLlamaBlock,
  readMistralBlock,
  readXmlBlock,
} from "./blocks.ts";
import type { ToolCallFormatEntry, WritableCall } from "./format-entry.ts";
import { HERMES, namedJson } from "./hermes.ts";
import {
  GEMMA_CLOSE,
  GEMMA_ESCAPE,
  GEMMA_OPEN,
  LFM_CLOSE,
  LFM_OPEN,
  MISTRAL_ARGUMENTS,
  MISTRAL_CALL_ID,
  MISTRAL_CALLS,
  PYTHON_TAG,
  TOOL_CALL_CLOSE,
  TOOL_CALL_OPEN,
} from "./markers.ts";

const ENTRIES: { readonly [format in ToolCallFormat]: ToolCallFormatEntry } = {
  hermes: HERMES,
  "qwen-xml": {
    format: "qwen-xml",
    begin: TOOL_CALL_OPEN,
    strayEnd: TOOL_CALL_CLOSE,
    beginsTurn: null,
    markers: [TOOL_CALL_OPEN, TOOL_CALL_CLOSE],
    read: readXmlBlock,
    write: (calls) =>
      calls.map((call) => `${TOOL_CALL_OPEN}\n${xmlOf(call)}\n${TOOL_CALL_CLOSE}`).join("\n"),
  },
  llama: {
    format: "llama",
    begin: PYTHON_TAG,
    strayEnd: null,
    beginsTurn: /^\s*(?:\{|\[)/,
    markers: [PYTHON_TAG],
    read: readLlamaBlock,
    write: (calls) =>
      calls
        .map((call) => JSON.stringify({ name: call.name, parameters: call.arguments }))
        .join("; "),
  },
  mistral: {
    format: "mistral",
    begin: MISTRAL_CALLS,
    strayEnd: null,
    beginsTurn: null,
    markers: [MISTRAL_CALLS, MISTRAL_ARGUMENTS, MISTRAL_CALL_ID],
    read: readMistralBlock,
    write: (calls) => `${MISTRAL_CALLS}[${calls.map(namedJson).join(", ")}]`,
  },
  lfm: {
    format: "lfm",
    begin: LFM_OPEN,
    strayEnd: LFM_CLOSE,
    beginsTurn: null,
    markers: [LFM_OPEN, LFM_CLOSE],
    read: readLfmBlock,
    write: (calls) => `${LFM_OPEN}[${calls.map(pythonOf).join(", ")}]${LFM_CLOSE}`,
  },
  gemma: {
    format: "gemma",
    begin: GEMMA_OPEN,
    strayEnd: GEMMA_CLOSE,
    beginsTurn: null,
    markers: [GEMMA_OPEN, GEMMA_CLOSE, GEMMA_ESCAPE],
    read: readGemmaBlock,
    write: (calls) =>
      calls
        .map((call) => `${GEMMA_OPEN}call:${call.name}${gemmaOf(call.arguments)}${GEMMA_CLOSE}`)
        .join(""),
  },
};

/** The row of a format. */
export function toolCallFormatEntry(format: ToolCallFormat): ToolCallFormatEntry {
  return ENTRIES[format];
}

/** Patterns that identify a chat template, most specific first. */
const TEMPLATE_MARKS: readonly (readonly [RegExp, ToolCallFormat])[] = [
  [/<start_function_call>/, "gemma"],
  [/<\|tool_call_start\|>/, "lfm"],
  [/List of tools: /, "lfm"],
  [/\[TOOL_CALLS\]/, "mistral"],
  [/<function=/, "qwen-xml"],
  [/<tool_call>/, "hermes"],
  [/<\|python_tag\|>|<\|start_header_id\|>/, "llama"],
];

/**
 * The tool-call format of a model's chat template; `null` if it has none, so that the page may choose (Gemma 3,
 * plain chat models).
 */
export function detectToolCallFormat(chatTemplate: string): ToolCallFormat | null {
  return TEMPLATE_MARKS.find(([mark]) => mark.test(chatTemplate))?.[1] ?? null;
}

function xmlOf(call: WritableCall): string {
  const parameters = Object.entries(call.arguments).map(([key, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return `<parameter=${key}>\n${text}\n</parameter>\n`;
  });
  return `<function=${call.name}>\n${parameters.join("")}</function>`;
}

function pythonOf(call: WritableCall): string {
  const args = Object.entries(call.arguments).map(([key, value]) => `${key}=${pythonValue(value)}`);
  return `${call.name}(${args.join(", ")})`;
}

function pythonValue(value: unknown): string {
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return `[${value.map(pythonValue).join(", ")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([key, member]) => `${JSON.stringify(key)}: ${pythonValue(member)}`,
  );
  return `{${members.join(", ")}}`;
}

function gemmaOf(value: unknown): string {
  if (typeof value === "string") return GEMMA_ESCAPE + value + GEMMA_ESCAPE;
  if (Array.isArray(value)) return `[${value.map(gemmaOf).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? "null";
  const members = Object.entries(value).map(([key, member]) => `${key}:${gemmaOf(member)}`);
  return `{${members.join(",")}}`;
}
