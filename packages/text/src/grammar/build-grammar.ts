/** Builds the expression of a grammar spec, with one case for each kind of `GrammarSpec`. */
import { WaggleError } from "@waggle/protocol";
import type { GrammarSpec } from "@waggle/protocol";
import { character } from "./characters.ts";
import type { ebnfExpression } from "./ebnf.ts";
import type { Expression, Expressions } from "./expression.ts";
import { SchemaGrammar } from "./json-schema.ts";
import { regexExpression } from "./regex.ts";
import { toolCallsExpression } from "./tool-calls-grammar.ts";
import { jsonSyntax } from "./value-syntax.ts";
import type { Vocabulary } from "./vocabulary.ts";

/**
 * @param ebnf - reads a grammar in EBNF; loaded by the caller for such a spec only.
 * @throws WaggleError `GRAMMAR_UNSUPPORTED` or `INVALID_ARGUMENT`, with the reason.
 */
export function buildGrammar(
  e: Expressions,
  spec: GrammarSpec,
  vocabulary: Vocabulary,
  ebnf: typeof ebnfExpression | null,
): Expression {
  switch (spec.kind) {
    case "json":
      return new SchemaGrammar(e, jsonSyntax(e), {}).any();
    case "json-schema":
      return new SchemaGrammar(e, jsonSyntax(e), spec.schema).value(spec.schema);
    case "regex":
      return regexExpression(e, spec.pattern, (ranges) => character(e, ranges), { isWhole: true });
    case "ebnf":
      if (ebnf === null) throw new WaggleError("INTERNAL", "the reader of EBNF is not loaded");
      return ebnf(e, spec.grammar);
    case "tool-calls":
      return toolCallsExpression(e, spec, vocabulary);
  }
}
