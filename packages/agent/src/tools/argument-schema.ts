/**
 * Schemas of tool arguments: JSON Schema, or a schema of a validation library, with the type of the arguments
 * inferred from either.
 *
 * Source: Standard Schema 1 and Standard JSON Schema 1, https://standardschema.dev, which zod, valibot and
 * ArkType implement.
 */
import { isObject, type JsonSchema, WaggleError } from "@waggle/protocol";

/** A schema of a validation library. */
interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => Validated<Output> | Promise<Validated<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    readonly jsonSchema?: {
      readonly input: (options: { readonly target: "draft-2020-12" }) => JsonSchema;
    };
  };
}

type Validated<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly Issue[] };

type Issue = {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
};

/** A schema of an arguments object, in either form. */
export type ArgumentSchema = StandardSchema | JsonSchema;

/** What `run` gets for a schema. JSON Schema without a literal type gives `unknown`. */
export type ArgumentsOf<P> = P extends {
  readonly "~standard": { readonly types?: { readonly output: infer Output } | undefined };
}
  ? Output
  : FromJson<P>;

type FromJson<P> = P extends { readonly enum: readonly (infer Value)[] }
  ? Value
  : P extends { readonly const: infer Value }
    ? Value
    : P extends { readonly type: "string" }
      ? string
      : P extends { readonly type: "number" | "integer" }
        ? number
        : P extends { readonly type: "boolean" }
          ? boolean
          : P extends { readonly type: "array"; readonly items: infer Items }
            ? readonly FromJson<Items>[]
            : P extends { readonly type: "object" } | { readonly properties: object }
              ? FromMembers<P>
              : unknown;

type FromMembers<P> = P extends { readonly properties: infer Members }
  ? {
      readonly [K in keyof Members as K extends RequiredOf<P> ? K : never]: FromJson<Members[K]>;
    } & {
      readonly [K in keyof Members as K extends RequiredOf<P> ? never : K]?: FromJson<Members[K]>;
    }
  : { readonly [name: string]: unknown };

type RequiredOf<P> = P extends { readonly required: readonly (infer Name)[] } ? Name : never;

/** Whether it is a schema of a validation library. ArkType's are functions. */
function isStandard(schema: unknown): schema is StandardSchema {
  return (isObject(schema) || typeof schema === "function") && "~standard" in schema;
}

/**
 * The JSON Schema of the arguments. They are an object, so `type` may be left out.
 *
 * @param field - names the schema in errors: `tools.search.parameters`.
 * @throws WaggleError `INVALID_ARGUMENT` saying what to write instead.
 */
export function jsonSchemaOf(field: string, schema: unknown): JsonSchema {
  const given = isStandard(schema) ? convertedSchema(field, schema) : schema;
  if (!isObject(given)) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `${field} is ${given === null ? "null" : typeof given}; write a JSON Schema such as { type: "object", properties: {} }, or a schema of zod, valibot or ArkType`,
    );
  }
  if (given["type"] === "object") return given;
  if (given["type"] === undefined) return { type: "object", ...given };
  throw new WaggleError(
    "INVALID_ARGUMENT",
    `${field} has type ${JSON.stringify(given["type"])}; arguments are always an object, so write type: "object"`,
  );
}

function convertedSchema(field: string, { "~standard": standard }: StandardSchema): JsonSchema {
  if (standard.jsonSchema === undefined) {
    const wrapper =
      standard.vendor === "valibot"
        ? "wrap it in toStandardJsonSchema of @valibot/to-json-schema"
        : "update the library, or write JSON Schema";
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `${field} is a schema of ${standard.vendor} that cannot be converted to JSON Schema; ${wrapper}`,
    );
  }
  try {
    const { $schema: _, ...converted } = standard.jsonSchema.input({ target: "draft-2020-12" });
    return converted;
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `${field} cannot be converted to JSON Schema: ${message.slice(0, 200)}; use types that JSON has`,
      { cause },
    );
  }
}

/**
 * The arguments as `run` gets them, with what the library's schema changes, such as defaults. Arguments of a JSON
 * Schema are returned as they are: the caller has checked them.
 *
 * @throws WaggleError `INVALID_TOOL_ARGUMENTS` with the first issue.
 */
export async function parsedArguments(schema: ArgumentSchema, args: unknown): Promise<unknown> {
  if (!isStandard(schema)) return args;
  const validated = await schema["~standard"].validate(args);
  if (validated.issues === undefined) return validated.value;
  const [issue] = validated.issues;
  const path = (issue?.path ?? []).map((part) =>
    String(typeof part === "object" ? part.key : part),
  );
  const place = path.length === 0 ? "" : `${path.join(".")}: `;
  throw new WaggleError(
    "INVALID_TOOL_ARGUMENTS",
    `${place}${issue?.message ?? "invalid"}`.slice(0, 300),
  );
}
