import type { GrammarSpec } from "@waggle/protocol";
import { expect, test } from "vitest";
import { isGrammarOf } from "./site-grammars.ts";

const SEARCH = { type: "object", properties: { text: { type: "string" } } };
const BOOK = { type: "object", properties: { day: { enum: ["monday", "friday"] } } };
const TOOLS = [
  { name: "search", parameters: SEARCH },
  { name: "book", parameters: BOOK },
];
const FORMAT = { toolCallFormat: "hermes" } as const;
const OWN = {
  kind: "tool-calls",
  format: "hermes",
  tools: TOOLS,
  choice: "auto",
  parallel: true,
} as const;
const isOwn = (spec: GrammarSpec | undefined) => isGrammarOf(spec, TOOLS, FORMAT);

test("the grammar of the site's tools is known, also with any arguments and in another order", () => {
  expect(isOwn(OWN)).toBe(true);
  const loose = TOOLS.map(({ name }) => ({ name, parameters: { type: "object" } }));
  expect(isOwn({ ...OWN, tools: loose })).toBe(true);
  expect(isOwn({ ...OWN, tools: TOOLS.toReversed() })).toBe(true);
});

const one = TOOLS.slice(0, 1);
const only = { type: "object", properties: { day: { enum: ["monday"] } } };
test.each<[string, GrammarSpec | undefined]>([
  ["allows one answer only", { kind: "regex", pattern: "yes" }],
  ["is not in the record", undefined],
  ["forces a call", { ...OWN, choice: "required" }],
  ["forces one tool", { ...OWN, choice: { name: "book" } }],
  ["leaves a tool out", { ...OWN, tools: one }],
  ["has a tool twice in place of another", { ...OWN, tools: [...one, ...one] }],
  ["has a tool of its own", { ...OWN, tools: [...TOOLS, { name: "pay", parameters: BOOK }] }],
  ["narrows arguments", { ...OWN, tools: [...one, { name: "book", parameters: only }] }],
  ["replaces free text", { ...OWN, answer: { const: "yes" } }],
  ["allows one call", { ...OWN, parallel: false }],
  ["is of another format", { ...OWN, format: "llama" }],
])("a grammar that %s is unknown", (_, spec) => {
  expect(isOwn(spec)).toBe(false);
});
