/**
 * JSON Schema (2020-12, and draft 7 where they agree) as a grammar. Every generated text is valid, but not every
 * valid text can be generated:
 *
 * - Members have a fixed order: those in `required` as listed, then the others by name. It does not depend on the
 *   order of `properties`, which canonical JSON drops, so equal ids give equal masks.
 * - Objects with named properties get no additional ones, unless `required` names them.
 * - A schema without `type` gets the type that its keywords imply.
 * - Keywords that a grammar cannot express are refused (`schema-keywords.ts`).
 */
import { isObject } from "@waggle/protocol";
import type { JsonSchema } from "@waggle/protocol";
import { ANY_CHARACTER } from "./characters.ts";
import type { Expression, Expressions } from "./expression.ts";
import { FORMAT_PATTERNS, UNSUPPORTED_FORMATS } from "./formats.ts";
import { decimalNumber, scaledBounds, wholeNumber } from "./numbers.ts";
import type { NumberBounds } from "./numbers.ts";
import { regexExpression } from "./regex.ts";
import {
  areDisjoint,
  isOfType,
  mergeSchemas,
  refuseUnsupported,
  typeByKeywords,
  unsupported,
} from "./schema-keywords.ts";
import type { ValueSyntax } from "./value-syntax.ts";

/** Maximum number of multiples that are listed one by one. */
const MAX_MULTIPLES = 1000n;

type Member = {
  readonly key: Expression;
  readonly value: Expression;
  readonly isRequired: boolean;
};

/** Builds expressions for the parts of one schema. */
export class SchemaGrammar {
  readonly #e: Expressions;
  readonly #syntax: ValueSyntax;
  readonly #root: JsonSchema;
  readonly #references = new Map<string, Expression>();
  #any: Expression | null = null;

  /** @param root - the schema that `$ref` refers to. */
  constructor(e: Expressions, syntax: ValueSyntax, root: JsonSchema) {
    this.#e = e;
    this.#syntax = syntax;
    this.#root = root;
  }

  /** The values of a schema. @throws WaggleError `GRAMMAR_UNSUPPORTED`, with the keyword and its place. */
  value(schema: unknown, path = ""): Expression {
    if (schema === true || schema === undefined) return this.any();
    if (schema === false) return this.#e.never;
    if (!isObject(schema)) throw unsupported(path, "a value that is not a schema");
    refuseUnsupported(schema, path);
    const { $ref, allOf, anyOf, oneOf, ...rest } = schema;
    if (typeof $ref === "string") {
      if (Object.keys(rest).length === 0) return this.#reference($ref, path);
      return this.value(mergeSchemas(this.#resolve($ref, path), rest, path), path);
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
      if (anyOf !== undefined && oneOf !== undefined) throw unsupported(path, "anyOf beside oneOf");
      const branches = union.map((part: unknown) => this.#both(rest, part, path));
      if (oneOf !== undefined && !areDisjoint(branches)) {
        throw unsupported(path, "oneOf with overlapping schemas");
      }
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
    const names = [
      ...required,
      ...Object.keys(properties)
        .filter((name) => !required.includes(name))
        .sort(),
    ];
    const [min, max] = [schema["minProperties"], schema["maxProperties"]];
    if (typeof min === "number" && min > required.length) throw unsupported(path, "minProperties");
    if (typeof max === "number" && (max < names.length || names.length === 0)) {
      throw unsupported(path, "maxProperties");
    }
    if (names.length === 0) {
      const isClosed = additional === false || schema["properties"] !== undefined;
      if (isClosed && !isObject(additional) && additional !== true) {
        return this.#e.literal(open + close);
      }
      const value = this.value(additional, `${path}/additionalProperties`);
      const member = this.#e.sequence(this.#syntax.key(this.#syntax.anyKey), value);
      return this.#list(open, member, this.#syntax.separator, close, 0, Infinity);
    }
    const members = names.map((name) => ({
      key: this.#key(name),
      value: this.value(properties[name] ?? additional, `${path}/properties/${name}`),
      isRequired: required.includes(name),
    }));
    return this.#e.sequence(this.#e.literal(open), this.#members(members), this.#e.literal(close));
  }

  #plain(schema: JsonSchema, path: string): Expression {
    const e = this.#e;
    if ("const" in schema) return this.#values([schema["const"]], schema, path);
    if (Array.isArray(schema["enum"])) return this.#values(schema["enum"], schema, path);
    const type = schema["type"] ?? typeByKeywords(schema);
    if (type === undefined) return this.any();
    if (Array.isArray(type)) {
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
        return this.#number(schema, type === "integer", path);
      case "array":
        return this.#array(schema, path);
      case "object":
        return this.object(schema, path, "{", "}");
      default:
        throw unsupported(path, `the type ${JSON.stringify(type)}`);
    }
  }

  /** The listed values that have the schema's type. */
  #values(values: readonly unknown[], schema: JsonSchema, path: string): Expression {
    const { type, ...others } = schema;
    const types = type === undefined ? null : Array.isArray(type) ? type : [type];
    const beside = typeByKeywords(others);
    if (beside !== undefined) throw unsupported(path, `enum or const beside keywords of ${beside}`);
    const fitting = values.filter(
      (value) => types === null || types.some((t) => isOfType(t, value)),
    );
    if (fitting.length === 0) throw unsupported(path, "enum without a value of its type");
    return this.#e.alternatives(fitting.map((value) => this.constant(value)));
  }

  #string(schema: JsonSchema, path: string): Expression {
    const { quote, anyContent } = this.#syntax;
    const { pattern, format, minLength, maxLength } = schema;
    const isBounded = typeof minLength === "number" || typeof maxLength === "number";
    const isFormat = typeof format === "string" && format in FORMAT_PATTERNS;
    if (typeof format === "string" && UNSUPPORTED_FORMATS.includes(format)) {
      throw unsupported(path, `format ${format}`);
    }
    if (Number(typeof pattern === "string") + Number(isBounded) + Number(isFormat) > 1) {
      throw unsupported(path, "more than one of pattern, format and length");
    }
    const write = (ranges: readonly number[]) => this.#syntax.character(ranges);
    if (typeof pattern === "string") {
      return quote(regexExpression(this.#e, pattern, write, { isWhole: false }));
    }
    if (isFormat) {
      const whole = FORMAT_PATTERNS[format] as string;
      return quote(regexExpression(this.#e, whole, write, { isWhole: true }));
    }
    if (!isBounded) return quote(anyContent);
    const min = typeof minLength === "number" ? minLength : 0;
    const max = typeof maxLength === "number" ? maxLength : Infinity;
    if (min > max) return this.#e.never;
    return quote(this.#e.repeat(write(ANY_CHARACTER), min, max));
  }

  #number(schema: JsonSchema, isWhole: boolean, path: string): Expression {
    const bounds = schema as NumberBounds;
    const step = schema["multipleOf"];
    if (typeof step === "number" && !(step === 1 && isWhole)) {
      return this.#multiples(step, bounds, isWhole, path);
    }
    if (isWhole) return wholeNumber(this.#e, scaledBounds(bounds, 0));
    return decimalNumber(this.#e, bounds);
  }

  #multiples(step: number, bounds: NumberBounds, isWhole: boolean, path: string): Expression {
    const { low, high } = scaledBounds(bounds, 0);
    if (!Number.isInteger(step) || step <= 0 || low === null || high === null) {
      throw unsupported(path, "multipleOf other than a whole number between two bounds");
    }
    const by = BigInt(step);
    const first = (low < 0n ? low / by : (low + by - 1n) / by) * by;
    if ((high - first) / by > MAX_MULTIPLES)
      throw unsupported(path, "multipleOf over a wide range");
    const values: Expression[] = [];
    for (let value = first; value <= high; value += by) values.push(this.#e.literal(String(value)));
    return isWhole || values.length > 0 ? this.#e.alternatives(values) : this.#e.never;
  }

  #array(schema: JsonSchema, path: string): Expression {
    const { items, prefixItems, additionalItems } = schema;
    const isTuple = Array.isArray(items);
    const first: unknown[] = isTuple ? items : Array.isArray(prefixItems) ? prefixItems : [];
    const rest = isTuple ? (additionalItems ?? true) : (items ?? true);
    const min = typeof schema["minItems"] === "number" ? schema["minItems"] : 0;
    const max = typeof schema["maxItems"] === "number" ? schema["maxItems"] : Infinity;
    if (min > max) return this.#e.never;
    const { separator } = this.#syntax;
    if (first.length === 0) {
      if (rest === false) return min > 0 ? this.#e.never : this.#e.literal("[]");
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
    if (rest === false && min > first.length) return this.#e.never;
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

  /** Members in order. Every member except the first that is present follows a separator. */
  #members(members: readonly Member[]): Expression {
    const e = this.#e;
    let afterFirst = e.empty;
    let fromHere = e.empty;
    for (const { key, value, isRequired } of members.toReversed()) {
      const member = e.sequence(key, value, afterFirst);
      const later = e.sequence(this.#syntax.separator, member);
      fromHere = isRequired ? member : e.alternatives([member, fromHere]);
      afterFirst = isRequired ? later : e.alternatives([later, afterFirst]);
    }
    return fromHere;
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
    if (!isObject(part)) throw unsupported(path, "the schema false in allOf");
    const resolved =
      typeof part["$ref"] === "string" && Object.keys(a).length > 0
        ? mergeSchemas(this.#resolve(part["$ref"], path), { ...part, $ref: undefined }, path)
        : part;
    const clean = Object.fromEntries(Object.entries(resolved).filter(([, v]) => v !== undefined));
    return mergeSchemas(a, clean, path);
  }

  #reference(pointer: string, path: string): Expression {
    const known = this.#references.get(pointer);
    if (known !== undefined) return known;
    const rule = this.#e.declare(pointer);
    this.#references.set(pointer, rule);
    this.#e.define(rule, this.value(this.#resolve(pointer, path), pointer));
    return rule;
  }

  #resolve(pointer: string, path: string): JsonSchema {
    if (!pointer.startsWith("#")) throw unsupported(path, `$ref to ${pointer}`);
    let at: unknown = this.#root;
    for (const part of pointer.split("/").slice(1)) {
      const key = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
      at = isObject(at) || Array.isArray(at) ? (at as JsonSchema)[key] : undefined;
    }
    if (isObject(at)) return at;
    throw unsupported(path, `$ref to ${pointer}, which does not exist`);
  }
}
