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
      readonly input: (options: {
        readonly target: "draft-2020-12";
        readonly libraryOptions?: { readonly [name: string]: unknown } | undefined;
      }) => JsonSchema;
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

/**
 * What `run` gets for a schema. JSON Schema without a literal type gives `unknown`. A `$ref` gives the type of the
 * definition that it names in the schema's own `$defs` or `definitions`. Other and recursive references give `unknown`.
 */
export type ArgumentsOf<P> = P extends {
  readonly "~standard": { readonly types?: { readonly output: infer Output } | undefined };
}
  ? Output
  : FromJson<P, P>;

/** @template Seen - the references followed so far */
type FromJson<P, Root, Seen = never> = P extends { readonly $ref: infer Ref }
  ? Ref extends Seen
    ? unknown
    : FromJson<Referenced<Root, Ref>, Root, Seen | Ref>
  : P extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : P extends { readonly const: infer Value }
      ? Value
      : P extends { readonly type: readonly (infer Type)[] }
        ? FromTypes<P, Type, Root, Seen>
        : P extends { readonly type: infer Type extends keyof Scalars }
          ? Scalars[Type]
          : P extends { readonly type: "array"; readonly items: infer Items }
            ? readonly FromJson<Items, Root, Seen>[]
            : P extends { readonly properties: object }
              ? FromMembers<P, Root, Seen>
              : P extends { readonly anyOf: readonly (infer Part)[] }
                ? FromJson<Part, Root, Seen>
                : P extends { readonly oneOf: readonly (infer Part)[] }
                  ? FromJson<Part, Root, Seen>
                  : P extends { readonly type: "object" }
                    ? { readonly [name: string]: unknown }
                    : unknown;

type Referenced<Root, Ref> =
  Ref extends `#/${infer Place extends "$defs" | "definitions"}/${infer Name}`
    ? Root extends { readonly [P in Place]: { readonly [N in Name]: infer Schema } }
      ? Schema
      : unknown
    : unknown;

type Scalars = {
  readonly string: string;
  readonly number: number;
  readonly integer: number;
  readonly boolean: boolean;
  readonly null: null;
};

/** `type: ["string", "null"]`: one of several types, each with the keywords that it has. */
type FromTypes<P, Type, Root, Seen> = Type extends string
  ? FromJson<Omit<P, "type"> & { readonly type: Type }, Root, Seen>
  : never;

type FromMembers<P extends { readonly properties: object }, Root, Seen> = {
  readonly [K in keyof P["properties"] as K extends RequiredOf<P> ? K : never]: FromJson<
    P["properties"][K],
    Root,
    Seen
  >;
} & {
  readonly [K in keyof P["properties"] as K extends RequiredOf<P> ? never : K]?: FromJson<
    P["properties"][K],
    Root,
    Seen
  >;
};

type RequiredOf<P> = P extends { readonly required: readonly (infer Name)[] } ? Name : never;

/** Whether it is a schema of a validation library. ArkType's are functions. */
export function isLibrarySchema(schema: unknown): schema is StandardSchema {
  return (isObject(schema) || typeof schema === "function") && "~standard" in schema;
}

/**
 * The JSON Schema of the arguments. They are an object, so `type` may be left out.
 *
 * @param field - names the schema in errors: `tools.search.parameters`.
 * @throws WaggleError `INVALID_ARGUMENT` saying what to write instead.
 */
export function jsonSchemaOf(field: string, schema: unknown): JsonSchema {
  const given = isLibrarySchema(schema) ? convertedSchema(field, schema) : schema;
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

const refuseType = (): never => {
  throw new Error("JSON has no such type");
};

/** What valibot says of a check that it is about to convert. */
type ValibotAction = {
  readonly jsonSchema: JsonSchema;
  readonly valibotAction: { readonly type: string };
};

/** Options of `input`, by library. */
const LIBRARY_OPTIONS: { readonly [vendor: string]: { readonly [name: string]: unknown } } = {
  // By default it refuses checks that only code can make. `parsedArguments` makes them.
  valibot: {
    // A regex keeps the default, which refuses flags. Without them, a grammar would forbid texts that the author allows.
    overrideAction: ({ jsonSchema, valibotAction }: ValibotAction) =>
      valibotAction.type === "regex" ? undefined : jsonSchema,
  },
  // By default it takes types such as Date for any value, and no call would have valid arguments.
  arktype: { fallback: { date: refuseType, domain: refuseType, proto: refuseType } },
};

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
    const { $schema: _, ...converted } = standard.jsonSchema.input({
      target: "draft-2020-12",
      libraryOptions: LIBRARY_OPTIONS[standard.vendor],
    });
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
  if (!isLibrarySchema(schema)) return args;
  const validated = await schema["~standard"].validate(args);
  if (validated.issues === undefined) return validated.value;
  const [issue] = validated.issues;
  // A path of ArkType is a subclass of Array whose `map` gives another path.
  const path = Array.from(issue?.path ?? [], (part) =>
    String(typeof part === "object" ? part.key : part),
  );
  const place = path.length === 0 ? "" : `${path.join(".")}: `;
  throw new WaggleError(
    "INVALID_TOOL_ARGUMENTS",
    `${place}${issue?.message ?? "invalid"}`.slice(0, 300),
  );
}
