/** Generates calls of 200 tools of the Berkeley Function Calling Leaderboard in every format. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type ToolCallFormat, type ToolCallsGrammar, seededRandom } from "@waggle/protocol";
import { expect, test } from "vitest";
import { createTokenizer } from "../create-tokenizer.ts";
import type { TokenizerJson } from "../tokenizer-json.ts";
import { createGrammarCompiler } from "./compiler.ts";
import { constrainedGenerations } from "./constrained-generations.fixture.ts";
import { sample, shortestBudget, tokenizerFiles } from "./grammar.fixture.ts";

const TOOLS = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../fixtures/bfcl/tools.json"), "utf8"),
) as ToolCallsGrammar["tools"];

const WORDS = [
  '{"name',
  '": "',
  '", "',
  "arguments",
  "parameters",
  '"}',
  "}}",
  "the",
  " and",
  "er",
];

function sampler(markers: readonly string[]) {
  const files = tokenizerFiles(
    WORDS,
    markers.map((content) => ({ content, special: true })),
  );
  const json = JSON.parse(new TextDecoder().decode(files.get("tokenizer.json"))) as TokenizerJson;
  const tokenizer = createTokenizer({ tokenizerJson: json });
  const compiler = createGrammarCompiler(files);
  return async (spec: ToolCallsGrammar, index: number) => {
    const grammar = await compiler.compile(spec);
    const random = seededRandom(index);
    // Every eighth generation starts with the smallest possible budget, which requires a search.
    const budget = index % 8 === 0 ? shortestBudget(grammar) : 250;
    return tokenizer.decode(sample(grammar, budget, random));
  };
}

test.each<[ToolCallFormat, number, string[]]>([
  ["hermes", 1, ["<tool_call>", "</tool_call>"]],
  ["hermes", 4, []],
  ["qwen-xml", 4, []],
  ["llama", 4, ["<|python_tag|>"]],
  ["mistral", 4, ["[TOOL_CALLS]"]],
  ["mistral", 4, ["[TOOL_CALLS]", "[ARGS]"]],
  ["lfm", 4, ["<|tool_call_start|>", "<|tool_call_end|>"]],
  ["gemma", 4, ["<start_function_call>", "<end_function_call>", "<escape>"]],
])("%s: calls of one tool in %i are valid, with %j as tokens", async (format, nth, markers) => {
  const tools = TOOLS.filter((_, at) => at % nth === 0);
  const result = await constrainedGenerations({
    tools,
    count: tools.length,
    format,
    sample: sampler(markers),
  });
  expect(result.failures).toEqual([]);
  expect(result.valid).toBe(200 / nth);
});

test("control: the check finds calls that the schema forbids", async () => {
  const result = await constrainedGenerations({
    tools: TOOLS.slice(0, 20),
    count: 20,
    format: "hermes",
    sample: async ({ tools }) =>
      `<tool_call>{"name":"${tools[0]?.name}","arguments":{"none":[]}}</tool_call>`,
  });
  expect(result.failures.length).toBeGreaterThan(10);
});
