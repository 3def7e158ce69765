/** Builds the expression of a grammar spec, with one case for each kind of `GrammarSpec`. */
import type { GrammarSpec } from "@waggle/protocol";
import { character } from "./characters.ts";
import { ebnfExpression } from "./ebnf.ts";
import type { Expression, Expressions } from "./expression.ts";
import { SchemaGrammar } from "./json-schema.ts";
import { regexExpression } from "./regex.ts";
import { toolCallsExpression } from "./tool-calls-grammar.ts";
import { jsonSyntax } from "./value-syntax.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** @throws WaggleError `GRAMMAR_UNSUPPORTED` or `INVALID_ARGUMENT`, with the reason. */
export function buildGrammar(
  e: Expressions,
  spec: GrammarSpec,
  vocabulary: Vocabulary,
): Expression {
  switch (spec.kind) {
    case "json":
      return new SchemaGrammar(e, jsonSyntax(e), {}).any();
    case "json-schema":
      return new SchemaGrammar(e, jsonSyntax(e), spec.schema).value(spec.schema);
    case "regex":
      return regexExpression(e, spec.pattern, (ranges) => character(e, ranges), { isWhole: true });
    case "ebnf":
      return ebnfExpression(e, spec.grammar);
    case "tool-calls":
      return toolCallsExpression(e, spec, vocabulary);
  }
}
