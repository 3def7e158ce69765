/**
 * JSON Schema (2020-12, and draft 7 where they agree) as a grammar. Every valid schema with a value has one. The
 * grammar enforces types, members, bounds, patterns and formats. It allows more than the schema where a grammar cannot
 * express a keyword: `not`, `if`, `contains`, `uniqueItems`, dependencies, `patternProperties` and a number of members
 * beside named ones, `multipleOf` without bounds, and overlaps in `oneOf`. Of a string's pattern, format and length it
 * enforces the first one given, with the length if the pattern repeats a single character, as in `^[a-z]+$`. It skips a
 * pattern that looks around. The reader of the value validates the rest. An optional member or a branch without a value
 * is left out.
 *
 * Not every valid text can be generated:
 * - Members have a fixed order: those in `required` as listed, then the others by name. It does not depend on the
 *   order of `properties`, which canonical JSON drops, so equal ids give equal masks.
 * - Objects with named properties get no additional ones, unless `required` names them.
 * - A schema without `type` gets the type that its keywords imply.
 */
import { isObject, WaggleError } from "@waggle/protocol";
import type { JsonSchema } from "@waggle/protocol";
import { ANY_CHARACTER } from "./characters.ts";
import type { Expression, Expressions } from "./expression.ts";
import { FORMAT_PATTERNS } from "./formats.ts";
import { decimalNumber, schemaNumber } from "./numbers.ts";
import { inOrder } from "./in-order.ts";
import { regexExpression } from "./regex.ts";
import {
  countsOf,
  isNothing,
  isOfType,
  memberOf,
  mergeSchemas,
  NOTHING,
  resolveReference,
  schemaByPattern,
  schemaMistake,
  typeByKeywords,
  unknownType,
} from "./schema-keywords.ts";
import type { ValueSyntax } from "./value-syntax.ts";

/** Builds expressions for the parts of one schema. */
export class SchemaGrammar {
  readonly #e: Expressions;
  readonly #syntax: ValueSyntax;
  readonly #root: JsonSchema;
  readonly #references = new Map<string, Expression>();
  /** Composed schemas that are being built, by their JSON. */
  readonly #open = new Map<string, { rule?: Expression }>();
  #any: Expression | null = null;
  readonly #write = (ranges: readonly number[]) => this.#syntax.character(ranges);

  /** @param root - the schema that `$ref` refers to. */
  constructor(e: Expressions, syntax: ValueSyntax, root: JsonSchema) {
    this.#e = e;
    this.#syntax = syntax;
    this.#root = root;
  }

  /** The values of a schema. @throws WaggleError `GRAMMAR_UNSUPPORTED` for a mistake, with its place. */
  value(schema: unknown, path = ""): Expression {
    if (schema === true || schema === undefined) return this.any();
    if (isNothing(schema)) return this.#nothing(path, "allows no value");
    if (!isObject(schema)) throw schemaMistake(path, "is not a schema");
    const { $ref, allOf, anyOf, oneOf, ...rest } = schema;
    const isComposed = [$ref, allOf, anyOf, oneOf].some((part) => part !== undefined);
    if (!isComposed) return this.#plain(rest, path);
    if (typeof $ref === "string" && Object.keys(schema).length === 1) {
      return this.#reference($ref, path);
    }
    return this.#recursive(schema, path, () => this.#composed(schema, path));
  }

  /** A schema with `$ref`, `allOf`, `anyOf` or `oneOf`. */
  #composed({ $ref, allOf, anyOf, oneOf, ...rest }: JsonSchema, path: string): Expression {
    if (typeof $ref === "string") {
      return this.value(mergeSchemas(resolveReference($ref, this.#root, path), rest), path);
    }
    if (Array.isArray(allOf)) {
      const whole = { ...rest, ...(anyOf ? { anyOf } : {}), ...(oneOf ? { oneOf } : {}) };
      return this.value(
        allOf.reduce<JsonSchema>((all, part) => this.#both(all, part, path), whole),
        path,
      );
    }
    const union = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : null;
    if (union !== null) {
      const branches = union.map((part: unknown) => this.#both(rest, part, path));
      return this.#e.alternatives(
        branches.map((branch, i) =>
          this.value(branch, `${path}/${anyOf ? "anyOf" : "oneOf"}/${i}`),
        ),
      );
    }
    return this.#plain(rest, path);
  }

  /** Any JSON value. */
  any(): Expression {
    if (this.#any !== null) return this.#any;
    const e = this.#e;
    const any = e.declare("any value");
    this.#any = any;
    const { separator, anyContent } = this.#syntax;
    const member = e.sequence(this.#syntax.key(this.#syntax.anyKey), any);
    e.define(
      any,
      e.alternatives([
        ...["null", "true", "false"].map((name) => this.#constantName(name)),
        decimalNumber(e, {}),
        this.#syntax.quote(anyContent),
        this.#list("[", any, separator, "]", 0, Infinity),
        this.#list("{", member, separator, "}", 0, Infinity),
      ]),
    );
    return any;
  }

  /** Exactly one value. */
  constant(value: unknown): Expression {
    const e = this.#e;
    if (typeof value === "string") return this.#syntax.quote(this.#text(value));
    if (typeof value === "number") return e.literal(JSON.stringify(value));
    if (typeof value === "boolean" || value === null) return this.#constantName(String(value));
    if (Array.isArray(value)) {
      return this.#inBrackets(
        "[",
        value.map((item) => this.constant(item)),
        "]",
      );
    }
    const members = Object.entries(value as object)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => e.sequence(this.#key(key), this.constant(member)));
    return this.#inBrackets("{", members, "}");
  }

  /** The members of an object, with its opening and closing text. */
  object(schema: JsonSchema, path: string, open: string, close: string): Expression {
    const properties = isObject(schema["properties"]) ? schema["properties"] : {};
    const required = Array.isArray(schema["required"]) ? (schema["required"] as string[]) : [];
    const additional = schema["additionalProperties"];
    const byPattern = isObject(schema["patternProperties"]) ? schema["patternProperties"] : {};
    const names = [
      ...new Set(required),
      ...Object.keys(properties)
        .filter((name) => !required.includes(name))
        .sort(),
    ];
    if (names.length === 0) {
      const matched: [string, unknown][] = Object.entries(byPattern);
      const isClosed = additional === false || schema["properties"] !== undefined;
      if (matched.length === 0 && isClosed && !isObject(additional) && additional !== true) {
        return this.#e.literal(open + close);
      }
      if (matched.length === 0) matched.push(["", additional]);
      const kinds = matched.map(([pattern, value]) => {
        const name = pattern === "" ? this.#names(schema["propertyNames"]) : this.#pattern(pattern);
        const key = this.#syntax.key(name ?? this.#syntax.anyKey);
        return this.#e.sequence(key, this.value(value, `${path}/additionalProperties`));
      });
      const member = this.#e.alternatives(kinds);
      const { min, max } = countsOf(schema, "Properties");
      if (min > max) return this.#nothing(path, "has minProperties above maxProperties");
      return this.#list(open, member, this.#syntax.separator, close, min, max);
    }
    const members = names.map((name) => {
      const given = memberOf(properties, name) ?? schemaByPattern(byPattern, name);
      const isForbidden = given === undefined && additional === false;
      const value = isForbidden
        ? this.#nothing(path, `requires ${JSON.stringify(name)} and allows no such member`)
        : this.value(given ?? additional, `${path}/properties/${name}`);
      const isRequired = required.includes(name);
      return { expression: this.#e.sequence(this.#key(name), value), isRequired };
    });
    const content = inOrder(this.#e, members, this.#syntax.separator);
    return this.#e.sequence(this.#e.literal(open), content, this.#e.literal(close));
  }

  #plain(schema: JsonSchema, path: string): Expression {
    const e = this.#e;
    if ("const" in schema) return this.#values([schema["const"]], schema, path);
    if (Array.isArray(schema["enum"])) return this.#values(schema["enum"], schema, path);
    const type = schema["type"] ?? typeByKeywords(schema);
    if (type === undefined) return this.any();
    if (Array.isArray(type)) {
      if (type.length === 0) return this.#nothing(path, "has types that exclude each other");
      return e.alternatives(
        type.map((one: unknown) => this.#plain({ ...schema, type: one }, path)),
      );
    }
    switch (type) {
      case "null":
        return this.#constantName("null");
      case "boolean":
        return e.alternatives([this.#constantName("true"), this.#constantName("false")]);
      case "string":
        return this.#string(schema, path);
      case "integer":
      case "number":
        return this.#orNothing(
          schemaNumber(e, schema, type === "integer"),
          path,
          "has bounds without a number between them",
        );
      case "array":
        return this.#array(schema, path);
      case "object":
        return this.object(schema, path, "{", "}");
      default:
        throw schemaMistake(path, `has the unknown type ${JSON.stringify(type)}`);
    }
  }

  /** The listed values that have the schema's type. */
  #values(values: readonly unknown[], { type }: JsonSchema, path: string): Expression {
    const types: unknown[] = type === undefined ? [] : [type].flat();
    const unknown = unknownType(types);
    if (unknown !== undefined)
      throw schemaMistake(path, `has the unknown type ${JSON.stringify(unknown)}`);
    const fitting = values.filter(
      (value) => type === undefined || types.some((t) => isOfType(t, value)),
    );
    if (fitting.length === 0) return this.#nothing(path, "lists no value of its type");
    return this.#e.alternatives(fitting.map((value) => this.constant(value)));
  }

  #string(schema: JsonSchema, path: string): Expression {
    const { pattern, format } = schema;
    const { quote, anyContent } = this.#syntax;
    const { min, max } = countsOf(schema, "Length");
    const content =
      (typeof pattern === "string" ? this.#pattern(pattern, { min, max }) : null) ??
      (typeof format === "string" ? this.#format(format) : null);
    if (content !== null) return quote(content);
    if (min <= 0 && max === Infinity) return quote(anyContent);
    if (min > max) return this.#nothing(path, "has minLength above maxLength");
    return quote(this.#e.repeat(this.#syntax.character(ANY_CHARACTER), min, max));
  }

  /** Names of members that are not listed. */
  #names(propertyNames: unknown): Expression {
    const { enum: names, pattern } = isObject(propertyNames) ? propertyNames : {};
    if (Array.isArray(names)) {
      return this.#e.alternatives(names.map((name) => this.#text(String(name))));
    }
    const matching = typeof pattern === "string" ? this.#pattern(pattern) : null;
    return matching ?? this.#syntax.anyKey;
  }

  /** Null for a pattern that is invalid or that a grammar cannot express, such as one with look-ahead. */
  #pattern(pattern: string, length?: { min: number; max: number }): Expression | null {
    try {
      return regexExpression(this.#e, pattern, this.#write, {
        isWhole: false,
        ...(length && { length }),
      });
    } catch (error) {
      if (WaggleError.is(error)) return null;
      throw error;
    }
  }

  /** Null for a format without a pattern. */
  #format(format: string): Expression | null {
    const whole = FORMAT_PATTERNS[format];
    if (whole === undefined) return null;
    return regexExpression(this.#e, whole, this.#write, { isWhole: true });
  }

  #array(schema: JsonSchema, path: string): Expression {
    const { items, prefixItems, additionalItems } = schema;
    const isTuple = Array.isArray(items);
    const first: unknown[] = isTuple ? items : Array.isArray(prefixItems) ? prefixItems : [];
    const rest = isTuple ? (additionalItems ?? true) : (items ?? true);
    const { min, max } = countsOf(schema, "Items");
    const full = rest === false ? first.length : Infinity;
    if (min > Math.min(max, full)) return this.#nothing(path, "needs more items than it allows");
    const { separator } = this.#syntax;
    if (first.length === 0) {
      if (rest === false) return this.#e.literal("[]");
      const item = this.value(rest, `${path}/items`);
      return this.#list("[", item, separator, "]", min, max);
    }
    const values = first.map((item, i) => this.value(item, `${path}/prefixItems/${i}`));
    const tail =
      rest === false
        ? this.#e.empty
        : this.#e.repeat(
            this.#e.sequence(separator, this.value(rest, `${path}/items`)),
            Math.max(0, min - first.length),
            Math.max(0, max - first.length),
          );
    // Built from the end: what may follow each item.
    let after = tail;
    for (let count = values.length; count > 0; count--) {
      const item = this.#e.sequence(values[count - 1] as Expression, after);
      const isOptional = count > min;
      const next =
        count > max ? this.#e.never : count === 1 ? item : this.#e.sequence(separator, item);
      after = isOptional ? this.#e.alternatives([this.#e.empty, next]) : next;
    }
    return this.#e.sequence(this.#e.literal("["), after, this.#e.literal("]"));
  }

  #list(
    open: string,
    item: Expression,
    separator: Expression,
    close: string,
    min: number,
    max: number,
  ): Expression {
    const e = this.#e;
    const more = e.repeat(e.sequence(separator, item), Math.max(0, min - 1), Math.max(0, max - 1));
    const some = max === 0 ? e.never : e.sequence(item, more);
    const content = min === 0 ? e.alternatives([e.empty, some]) : some;
    return e.sequence(e.literal(open), content, e.literal(close));
  }

  #inBrackets(open: string, parts: readonly Expression[], close: string): Expression {
    const joined = parts.flatMap((part, i) => (i === 0 ? [part] : [this.#syntax.separator, part]));
    return this.#e.sequence(this.#e.literal(open), ...joined, this.#e.literal(close));
  }

  #key(name: string): Expression {
    return this.#syntax.key(this.#text(name));
  }

  #text(text: string): Expression {
    const codes = Array.from(text, (character) => character.codePointAt(0) as number);
    return this.#e.sequence(...codes.map((code) => this.#syntax.character([code, code])));
  }

  #constantName(name: string): Expression {
    return this.#e.literal(this.#syntax[name as "true" | "false" | "null"]);
  }

  #both(a: JsonSchema, part: unknown, path: string): JsonSchema {
    if (part === true) return a;
    if (part === false) return NOTHING;
    if (!isObject(part)) {
      throw schemaMistake(path, "has a part in allOf, anyOf or oneOf that is not a schema");
    }
    const resolved =
      typeof part["$ref"] === "string" && Object.keys(a).length > 0
        ? mergeSchemas(resolveReference(part["$ref"], this.#root, path), {
            ...part,
            $ref: undefined,
          })
        : part;
    const clean = Object.fromEntries(Object.entries(resolved).filter(([, v]) => v !== undefined));
    return mergeSchemas(a, clean);
  }

  /** No value. Says why, in case the whole grammar has none. */
  #nothing(path: string, why: string): Expression {
    this.#e.contradictions.push(`the schema at ${path || "the root"} ${why}`);
    return this.#e.never;
  }

  #orNothing(expression: Expression, path: string, why: string): Expression {
    return expression === this.#e.never ? this.#nothing(path, why) : expression;
  }

  /** The expression that `build` gives, as a rule if the schema contains itself beside other keywords. */
  #recursive(schema: JsonSchema, path: string, build: () => Expression): Expression {
    const key = JSON.stringify(schema);
    const open = this.#open.get(key);
    if (open !== undefined) return (open.rule ??= this.#e.declare(path || "the root"));
    const opened: { rule?: Expression } = {};
    this.#open.set(key, opened);
    const body = build();
    this.#open.delete(key);
    if (opened.rule === undefined) return body;
    this.#e.define(opened.rule, body);
    return opened.rule;
  }

  #reference(pointer: string, path: string): Expression {
    const known = this.#references.get(pointer);
    if (known !== undefined) return known;
    const rule = this.#e.declare(pointer);
    this.#references.set(pointer, rule);
    this.#e.define(rule, this.value(resolveReference(pointer, this.#root, path), pointer));
    return rule;
  }
}
