/**
 * Checks tool calls that are sampled under grammars: parses them with the format's reader and validates them with
 * an independent validator. For tests and benchmarks with any sampler.
 */
import { Validator } from "@cfworker/json-schema";
import type { JsonSchema, ToolCallFormat, ToolCallsGrammar } from "@waggle/protocol";
import { toolCallFormatEntry } from "../tool-calls/formats.ts";
import { parseAssistant } from "../tool-calls/reader.ts";
import { toolSchemaToJsonSchema } from "../tool-schema.ts";

type Tool = ToolCallsGrammar["tools"][number];

export type ConstrainedGenerationsOptions = {
  /** As in `fixtures/bfcl/tools.json`; their schema dialect is converted. */
  readonly tools: readonly Tool[];
  /** Number of generations. Tools are used in turn. */
  readonly count: number;
  readonly format: ToolCallFormat;
  /** Samples the text of one generation under this grammar, without its stop token. */
  readonly sample: (grammar: ToolCallsGrammar, index: number) => Promise<string>;
};

export type ConstrainedGenerations = {
  readonly count: number;
  readonly valid: number;
  /** The invalid generations: tool, text and problem. */
  readonly failures: readonly string[];
};

/** Samples `count` calls, each of one required tool, and checks every one. */
export async function constrainedGenerations(
  options: ConstrainedGenerationsOptions,
): Promise<ConstrainedGenerations> {
  const { count, format } = options;
  const tools = options.tools.map((tool) => ({
    name: tool.name,
    parameters: toolSchemaToJsonSchema(tool.parameters),
  }));
  const failures: string[] = [];
  for (let index = 0; index < count; index++) {
    const tool = tools[index % tools.length] as Tool;
    const grammar: ToolCallsGrammar = {
      kind: "tool-calls",
      format,
      tools: [tool],
      choice: "required",
      parallel: false,
    };
    const text = await options.sample(grammar, index);
    const problem = problemOf(text, tool, format);
    if (problem !== null) failures.push(`${tool.name}: ${text}: ${problem}`);
  }
  return { count, valid: count - failures.length, failures };
}

function problemOf(text: string, tool: Tool, format: ToolCallFormat): string | null {
  const parsed = parseAssistant(text, toolCallFormatEntry(format), { tools: [tool] });
  if (parsed.parseError !== null) return parsed.parseError;
  const [call, ...others] = parsed.toolCalls;
  if (call === undefined || others.length > 0 || parsed.text !== "") return "not one call alone";
  if (call.name !== tool.name) return `a call of ${call.name}`;
  return violation(tool.parameters, call.arguments);
}

function violation(schema: JsonSchema, value: unknown): string | null {
  const { valid, errors } = new Validator(structuredClone(schema), "2020-12").validate(value);
  return valid ? null : (errors.at(-1)?.error ?? "invalid");
}
