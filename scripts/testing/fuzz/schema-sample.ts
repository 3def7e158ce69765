/** Values that a JSON Schema of the OpenAPI description accepts, drawn at random. */
import { isObject, type RandomSource } from "@waggle/protocol";
import { below, pick } from "./mutation.ts";

type Json = { readonly [key: string]: unknown };

/** Deepest value, so that recursive schemas end. */
const MOST_DEPTH = 8;
const HEX = Array.from({ length: 16 }, (_, i) => i.toString(16));

/** Draws values of schemas whose references are in `components`. */
export class SchemaSampler {
  readonly #schemas: Json;
  /** Values that the Worker knows, such as ids of stored records. */
  readonly #known: readonly string[];

  constructor(schemas: Json, known: readonly string[]) {
    this.#schemas = schemas;
    this.#known = known;
  }

  /** A value. Patterns that this does not understand get a known text. */
  sample(schema: unknown, random: RandomSource, depth = 0): unknown {
    if (!isObject(schema) || depth > MOST_DEPTH) return null;
    if ("const" in schema) return schema["const"];
    if (Array.isArray(schema["enum"])) return pick(random, schema["enum"] as unknown[]);
    if (typeof schema["$ref"] === "string") {
      const name = schema["$ref"].split("/").at(-1) ?? "";
      return this.sample(this.#schemas[name], random, depth + 1);
    }
    for (const key of ["anyOf", "oneOf", "allOf"]) {
      const choices = schema[key];
      if (Array.isArray(choices)) return this.sample(pick(random, choices), random, depth + 1);
    }
    switch (schema["type"]) {
      case "object":
        return this.#object(schema, random, depth);
      case "array": {
        const fixed = schema["prefixItems"];
        if (Array.isArray(fixed)) return fixed.map((one) => this.sample(one, random, depth + 1));
        const least = Number(schema["minItems"] ?? 0);
        const most = Math.min(Number(schema["maxItems"] ?? 3), least + 3);
        const length = least + below(random, most - least + 1);
        return Array.from({ length }, () => this.sample(schema["items"], random, depth + 1));
      }
      case "string":
        return this.#text(schema, random);
      case "integer":
      case "number": {
        const low = Number(schema["minimum"] ?? schema["exclusiveMinimum"] ?? 0);
        const high = Math.min(Number(schema["maximum"] ?? low + 10), low + 1e6);
        const value = low + random() * (high - low);
        return schema["type"] === "integer" ? Math.ceil(value) : value;
      }
      case "boolean":
        return random() < 0.5;
      default:
        return null;
    }
  }

  #object(schema: Json, random: RandomSource, depth: number): object {
    const members = isObject(schema["properties"]) ? schema["properties"] : {};
    const required = Array.isArray(schema["required"]) ? schema["required"] : [];
    const object: { [key: string]: unknown } = {};
    for (const [name, member] of Object.entries(members)) {
      if (!required.includes(name) && random() < 0.6) continue;
      object[name] = this.sample(member, random, depth + 1);
    }
    return object;
  }

  #text({ format, pattern, minLength = 0 }: Json, random: RandomSource): string {
    const known = this.#known.filter((one) => fits(one, pattern));
    if (known.length > 0 && random() < 0.6) return pick(random, known);
    if (format === "date-time") return "2026-11-20T12:00:00.000Z";
    const hex = (length: number) => Array.from({ length }, () => pick(random, HEX)).join("");
    if (format === "uuid") return `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`;
    if (typeof pattern === "string" && pattern.includes("64")) return hex(64);
    return hex(Math.max(Number(minLength), 1 + below(random, 12)));
  }
}

function fits(text: string, pattern: unknown): boolean {
  if (typeof pattern !== "string") return true;
  try {
    return new RegExp(pattern).test(text);
  } catch {
    return false;
  }
}
