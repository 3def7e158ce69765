/**
 * Validates arguments against a JSON Schema without `eval`, so that it runs under a strict CSP. A keyword that cannot be
 * checked is left out, because it would fail every call: a pattern that no JavaScript engine compiles, and a `$ref` to
 * something that the schema does not contain.
 */
import { dereference, format, type Schema, validate } from "@cfworker/json-schema";
import { isObject, type JsonSchema } from "@waggle/protocol";

/** What violates the schema, in one line that the policy reads; `null` if the value is valid. */
export function schemaViolation(schema: JsonSchema, value: unknown): string | null {
  const { root, schemas } = preparedSchema(schema);
  const { valid, errors } = validate(value, root, "2020-12", schemas);
  if (valid) return null;
  // The last error is the most specific: outer keywords fail because inner ones do.
  const error = errors.at(-1);
  const place = error?.instanceLocation.replace(/^#\/?/, "");
  return `${place ? `${place}: ` : ""}${error?.error ?? "does not match its schema"}`.slice(0, 300);
}

/** Keywords that are not checked, such as `pattern "(?i)abc"`. */
export function uncheckedKeywords(schema: JsonSchema): readonly string[] {
  return preparedSchema(schema).unchecked;
}

/** Names that a part of the schema both requires and forbids, so that no value is valid. */
export function impossibleNames(schema: JsonSchema): readonly string[] {
  const parts = Object.values(preparedSchema(schema).schemas).filter((part) => isObject(part));
  return parts.flatMap((part) => {
    const { required, properties = {}, patternProperties = {}, additionalProperties } = part;
    if (additionalProperties !== false || !Array.isArray(required)) return [];
    const patterns = Object.keys(patternProperties).map((pattern) => compiled(pattern, "u"));
    return required.filter(
      (name) => !Object.hasOwn(properties, name) && !patterns.some((regex) => regex?.test(name)),
    );
  });
}

type PreparedSchema = {
  readonly root: Schema;
  /** The schema and its parts, by URI. */
  readonly schemas: Record<string, Schema | boolean>;
  readonly unchecked: readonly string[];
};

const prepared = new WeakMap<JsonSchema, PreparedSchema>();

function preparedSchema(schema: JsonSchema): PreparedSchema {
  const known = prepared.get(schema);
  if (known !== undefined) return known;
  // The validator writes into the schema, so it gets a copy.
  const root = structuredClone(schema) as Schema;
  const schemas = dereference(root);
  const parts = new Set(Object.values(schemas).filter((part) => isObject(part)));
  const unchecked = [...parts].flatMap((part) => [
    ...withoutDeadReference(part, schemas),
    ...withUsablePattern(part),
    ...withUsableNames(part),
  ]);
  const checkable = { root, schemas, unchecked };
  prepared.set(schema, checkable);
  return checkable;
}

function withoutDeadReference(part: Schema, schemas: PreparedSchema["schemas"]): string[] {
  const { $ref, __absolute_ref__: uri } = part;
  if ($ref === undefined || schemas[uri ?? $ref] !== undefined) return [];
  delete part.$ref;
  return [`$ref ${JSON.stringify($ref)}`];
}

/** The validator compiles with the flag `u`, which refuses escapes such as `\-` that other validators accept. */
function withUsablePattern(part: Schema): string[] {
  const { pattern } = part;
  if (pattern === undefined || compiled(pattern, "u") !== null) return [];
  delete part.pattern;
  const regex = compiled(pattern, "");
  if (regex === null) return [`pattern ${JSON.stringify(pattern)}`];
  // Formats are the only check that the validator lets others add.
  const name = `pattern ${pattern}`;
  format[name] = (text) => regex.test(text);
  part.allOf = [...(part.allOf ?? []), { format: name }];
  return [];
}

/** Without a pattern of names, it is unknown which members are additional. */
function withUsableNames(part: Schema): string[] {
  const unusable = Object.keys(part.patternProperties ?? {}).filter(
    (pattern) => compiled(pattern, "u") === null,
  );
  if (unusable.length === 0) return [];
  for (const pattern of unusable) delete part.patternProperties?.[pattern];
  delete part.additionalProperties;
  delete part.unevaluatedProperties;
  return unusable.map((pattern) => `patternProperties ${JSON.stringify(pattern)}`);
}

function compiled(pattern: string, flags: string): RegExp | null {
  try {
    return new RegExp(pattern, flags);
  } catch {
    return null;
  }
}
