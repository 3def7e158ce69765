/**
 * Grammars for turns with tool calls, in each format of `tool-calls/formats.ts`. With `auto`, a turn is text in
 * which no call begins, optionally followed by calls; with a schema for the answer, it is JSON or calls. Otherwise
 * the turn consists of calls only.
 */
import type { ToolCallFormat, ToolCallsGrammar } from "@waggle/protocol";
import { isObject, WaggleError } from "@waggle/protocol";
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
} from "../tool-calls/markers.ts";
import { ANY_CHARACTER, character, complement } from "./characters.ts";
import type { Expression, Expressions } from "./expression.ts";
import { flatObject } from "./flat-object.ts";
import { inOrder } from "./in-order.ts";
import { SchemaGrammar } from "./json-schema.ts";
import { memberOf, mergeSchemas, unknownType } from "./schema-keywords.ts";
import { addedSymbols, textWithout } from "./text-without.ts";
import { gemmaSyntax, jsonSyntax, pythonSyntax } from "./value-syntax.ts";
import type { ValueSyntax } from "./value-syntax.ts";
import type { Vocabulary } from "./vocabulary.ts";

type Tool = ToolCallsGrammar["tools"][number];

type Builder = {
  readonly e: Expressions;
  /** A marker as its own token if the vocabulary has one, otherwise as text. */
  readonly marker: (text: string) => Expression;
  /** A call of one of the allowed tools. */
  readonly oneOf: (call: (tool: Tool) => Expression) => Expression;
  /** One call, or several with separators if parallel calls are allowed. */
  readonly several: (call: Expression, separator: Expression) => Expression;
  readonly hasToken: (text: string) => boolean;
};

/** How a format writes all calls of a turn, and what the text before them must not contain. */
type FormatGrammar = {
  readonly forbidden: readonly string[];
  /** Characters that a text turn must not begin with, for formats whose calls need no marker. */
  readonly notFirst?: string;
  calls(build: Builder): Expression;
};

const FORMATS: { readonly [format in ToolCallFormat]: FormatGrammar } = {
  hermes: {
    forbidden: [TOOL_CALL_OPEN, TOOL_CALL_CLOSE],
    calls: (build) => {
      const line = build.e.optional(build.e.literal("\n"));
      const call = build.oneOf((tool) => jsonCall(build.e, tool, "arguments"));
      const { marker } = build;
      const whole = build.e.sequence(
        marker(TOOL_CALL_OPEN),
        line,
        call,
        line,
        marker(TOOL_CALL_CLOSE),
      );
      return build.several(whole, line);
    },
  },
  "qwen-xml": {
    forbidden: [TOOL_CALL_OPEN, TOOL_CALL_CLOSE],
    calls: (build) => {
      const call = build.oneOf((tool) => xmlCall(build.e, tool));
      const whole = build.e.sequence(
        build.marker(TOOL_CALL_OPEN),
        build.e.literal("\n"),
        call,
        build.e.literal("\n"),
        build.marker(TOOL_CALL_CLOSE),
      );
      return build.several(whole, build.e.optional(build.e.literal("\n")));
    },
  },
  llama: {
    forbidden: [PYTHON_TAG],
    notFirst: "{[",
    calls: (build) => {
      const call = build.oneOf((tool) => jsonCall(build.e, tool, "parameters"));
      const separator = build.e.sequence(
        build.e.literal(";"),
        build.e.optional(build.e.literal(" ")),
      );
      return build.e.sequence(
        build.e.optional(build.marker(PYTHON_TAG)),
        build.several(call, separator),
      );
    },
  },
  mistral: {
    forbidden: [MISTRAL_CALLS, MISTRAL_ARGUMENTS, MISTRAL_CALL_ID],
    calls: (build) => {
      const { e, marker } = build;
      if (build.hasToken(MISTRAL_ARGUMENTS)) {
        const call = build.oneOf((tool) =>
          e.sequence(e.literal(tool.name), marker(MISTRAL_ARGUMENTS), jsonArguments(e, tool)),
        );
        return build.several(e.sequence(marker(MISTRAL_CALLS), call), e.empty);
      }
      const call = build.oneOf((tool) => jsonCall(e, tool, "arguments"));
      return e.sequence(
        marker(MISTRAL_CALLS),
        e.optional(e.literal(" ")),
        e.literal("["),
        build.several(call, e.sequence(e.literal(","), e.optional(e.literal(" ")))),
        e.literal("]"),
      );
    },
  },
  lfm: {
    forbidden: [LFM_OPEN, LFM_CLOSE],
    calls: (build) => {
      const { e } = build;
      const call = build.oneOf((tool) => pythonCall(e, tool));
      return e.sequence(
        build.marker(LFM_OPEN),
        e.literal("["),
        build.several(call, e.sequence(e.literal(","), e.optional(e.literal(" ")))),
        e.literal("]"),
        build.marker(LFM_CLOSE),
      );
    },
  },
  gemma: {
    forbidden: [GEMMA_OPEN, GEMMA_CLOSE, GEMMA_ESCAPE],
    calls: (build) => {
      const { e, marker } = build;
      const syntax = gemmaSyntax(e, marker(GEMMA_ESCAPE));
      const call = build.oneOf((tool) =>
        e.sequence(e.literal(`call:${tool.name}`), argumentsOf(e, syntax, tool, "{", "}")),
      );
      const whole = e.sequence(marker(GEMMA_OPEN), call, marker(GEMMA_CLOSE));
      return build.several(whole, e.empty);
    },
  },
};

/** Builds the expression of a whole turn. @throws WaggleError `INVALID_ARGUMENT` if the chosen tool is not given. */
export function toolCallsExpression(
  e: Expressions,
  spec: ToolCallsGrammar,
  vocabulary: Vocabulary,
): Expression {
  const { choice } = spec;
  const tools =
    typeof choice === "string" ? spec.tools : spec.tools.filter((t) => t.name === choice.name);
  if (tools.length === 0) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `no tool matches the choice ${JSON.stringify(choice)}; the tools are ${spec.tools.map((tool) => tool.name).join(", ") || "none"}`,
    );
  }
  const format = FORMATS[spec.format];
  const calls = format.calls({
    e,
    marker: (text) => {
      const symbol = vocabulary.markers.get(text);
      return symbol === undefined ? e.literal(text) : e.symbols([symbol, symbol]);
    },
    oneOf: (call) => e.alternatives(tools.map((tool) => withName(e, tool, () => call(tool)))),
    several: (call, separator) =>
      spec.parallel ? e.sequence(call, e.repeat(e.sequence(separator, call), 0, Infinity)) : call,
    hasToken: (text) => vocabulary.markers.has(text),
  });
  if (choice !== "auto") return calls;
  if (spec.answer !== undefined) {
    const answer = new SchemaGrammar(e, jsonSyntax(e), spec.answer).value(spec.answer);
    return e.alternatives([answer, calls]);
  }
  const symbols = addedSymbols(vocabulary.markers, format.forbidden);
  const text = textWithout(e, format.forbidden, { symbols });
  if (format.notFirst === undefined) return e.sequence(text, e.optional(calls));
  // Leading whitespace would hide the character that begins a call.
  const signs = Array.from(`${format.notFirst} \n\r\t`).flatMap((sign) => {
    const code = sign.codePointAt(0) as number;
    return [code, code];
  });
  const first = e.alternatives([
    character(e, complement(signs)),
    e.symbols(symbols.flatMap((symbol) => [symbol, symbol])),
  ]);
  return e.alternatives([e.empty, e.sequence(first, text), calls]);
}

/** Puts the tool's name before what is wrong in its schema. */
function withName(e: Expressions, tool: Tool, build: () => Expression): Expression {
  const name = `tool ${JSON.stringify(tool.name)}`;
  const known = e.contradictions.length;
  try {
    const call = build();
    const found = e.contradictions.splice(known);
    e.contradictions.push(...found.map((contradiction) => `${name}: ${contradiction}`));
    return call;
  } catch (error) {
    if (!WaggleError.is(error, "GRAMMAR_UNSUPPORTED")) throw error;
    throw new WaggleError("GRAMMAR_UNSUPPORTED", `${name}: ${error.message}`);
  }
}

/** `{"name": …, "arguments": {…}}` */
function jsonCall(e: Expressions, tool: Tool, member: "arguments" | "parameters"): Expression {
  const syntax = jsonSyntax(e);
  const name = new SchemaGrammar(e, syntax, {}).constant(tool.name);
  return e.sequence(
    e.literal("{"),
    syntax.key(e.literal("name")),
    name,
    syntax.separator,
    syntax.key(e.literal(member)),
    jsonArguments(e, tool),
    e.literal("}"),
  );
}

function jsonArguments(e: Expressions, tool: Tool): Expression {
  return argumentsOf(e, jsonSyntax(e), tool, "{", "}");
}

const ARGUMENTS = { type: "object" };

/** The arguments of a tool, which are an object in every format. */
function argumentsOf(
  e: Expressions,
  syntax: ValueSyntax,
  tool: Tool,
  open: string,
  close: string,
): Expression {
  const grammar = new SchemaGrammar(e, syntax, tool.parameters);
  if (open === "{") {
    const isKnown = unknownType([tool.parameters["type"] ?? []].flat()) === undefined;
    return grammar.value(isKnown ? mergeSchemas(ARGUMENTS, tool.parameters) : tool.parameters);
  }
  return grammar.object(flatObject(tool.parameters, tool.parameters), "", open, close);
}

/** `name(key="text", other=1)` */
function pythonCall(e: Expressions, tool: Tool): Expression {
  const syntax = pythonSyntax(e);
  const values = new SchemaGrammar(e, syntax, tool.parameters);
  const members = memberList(tool).map(({ name, schema, isRequired }) => ({
    isRequired,
    expression: e.sequence(e.literal(`${name}=`), values.value(schema, `/properties/${name}`)),
  }));
  return e.sequence(
    e.literal(`${tool.name}(`),
    inOrder(e, members, e.sequence(e.literal(","), e.optional(e.literal(" ")))),
    e.literal(")"),
  );
}

/** `<function=name>`, one `<parameter=key>` block per argument, `</function>`. */
function xmlCall(e: Expressions, tool: Tool): Expression {
  const json = new SchemaGrammar(e, jsonSyntax(e), tool.parameters);
  const raw = new SchemaGrammar(e, rawSyntax(e), tool.parameters);
  const members = memberList(tool).map(({ name, schema, isRequired }) => ({
    isRequired,
    expression: e.sequence(
      e.literal(`<parameter=${name}>\n`),
      (isText(schema) ? raw : json).value(schema, `/properties/${name}`),
      e.literal("\n</parameter>\n"),
    ),
  }));
  return e.sequence(
    e.literal(`<function=${tool.name}>\n`),
    inOrder(e, members, e.empty),
    e.literal("</function>"),
  );
}

/** Strings without quotes, up to the end of their parameter. */
function rawSyntax(e: Expressions): ValueSyntax {
  const json = jsonSyntax(e);
  return {
    ...json,
    quote: (content) => content,
    character: (ranges) => character(e, ranges.length === 0 ? ANY_CHARACTER : withoutLess(ranges)),
    anyContent: textWithout(e, ["\n</parameter>", "</parameter>", "</function>"]),
  };
}

const LESS = 0x3c;

function withoutLess(ranges: readonly number[]): number[] {
  const result: number[] = [];
  for (let i = 0; i + 1 < ranges.length; i += 2) {
    const [low, high] = [ranges[i] as number, ranges[i + 1] as number];
    if (low <= LESS && LESS <= high) {
      if (low < LESS) result.push(low, LESS - 1);
      if (high > LESS) result.push(LESS + 1, high);
    } else result.push(low, high);
  }
  return result;
}

function isText(schema: unknown): boolean {
  if (!isObject(schema)) return false;
  if (Array.isArray(schema["enum"])) return schema["enum"].every((v) => typeof v === "string");
  return schema["type"] === "string" || typeof schema["const"] === "string";
}

type ToolMember = { readonly name: string; readonly schema: unknown; readonly isRequired: boolean };

/** Required members as listed, then the others by name; see `json-schema.ts`. */
function memberList(tool: Tool): ToolMember[] {
  const schema = flatObject(tool.parameters, tool.parameters);
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  const required = Array.isArray(schema["required"]) ? (schema["required"] as string[]) : [];
  const optional = Object.keys(properties).filter((name) => !required.includes(name));
  const member = (name: string, isRequired: boolean) => ({
    name,
    schema: memberOf(properties, name),
    isRequired,
  });
  return [
    ...required.map((name) => member(name, true)),
    ...optional.sort().map((name) => member(name, false)),
  ];
}
