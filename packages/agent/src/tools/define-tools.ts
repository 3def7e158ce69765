/** Tools of a page and of an edge as an author writes them: by name, with the arguments' type inferred from the schema. */
import type { JsonSchema, Tool } from "@waggle/protocol";
import {
  type ArgumentSchema,
  type ArgumentsOf,
  jsonSchemaOf,
  parsedArguments,
} from "./argument-schema.ts";
import type { PageTool } from "./page-tool.ts";
import { requireDefinedTools } from "./tool-check.ts";

/** A tool that runs in the Worker. */
export type EdgeTool = Tool & {
  /** Runs it as its author wrote it, for tests. The Worker passes the signal itself, as to every `Tool`. */
  run(
    args: { readonly [key: string]: unknown },
    context: { readonly signal: AbortSignal },
  ): Promise<unknown>;
  /** JSON Schema of the result. */
  readonly result?: JsonSchema;
  /** A pure function that checks its arguments itself, with the same messages wherever it runs. */
  readonly isPure?: true;
};

/** Schemas of the tools' arguments, by tool. */
export type ToolSchemas = { readonly [tool: string]: ArgumentSchema };

/** A tool without its schema's type. */
type AnyTool = Omit<PageTool, "name" | "parameters" | "run"> & {
  readonly parameters: ArgumentSchema;
  readonly run: (args: never, context: { readonly signal: AbortSignal }) => unknown;
};

type ToolsByName<T extends ToolSchemas> = {
  readonly [K in keyof T]: {
    /** One sentence that tells the model what the tool does. */
    readonly description: string;
    /** JSON Schema, or a schema of zod, valibot or ArkType. `run` is called only with arguments that match it. */
    readonly parameters: T[K];
    /** Time limit of `run` in milliseconds, 1 to 120,000. Default 15,000. */
    readonly timeoutMs?: number;
    /** Runs the tool. @returns a JSON value; an exception becomes a failed result. */
    readonly run: (args: ArgumentsOf<T[K]>, context: { readonly signal: AbortSignal }) => unknown;
  };
};

type PageToolsByName<T extends ToolSchemas> = {
  readonly [K in keyof T]: ToolsByName<T>[K] & Pick<PageTool, "label" | "changes" | "confirm">;
};

type EdgeToolsByName<T extends ToolSchemas> = {
  readonly [K in keyof T]: ToolsByName<T>[K] &
    Pick<EdgeTool, "title" | "result" | "isPure" | "changes">;
};

/**
 * Tools of a page, for `createAgent` and for a site.
 *
 * @throws WaggleError `INVALID_ARGUMENT` naming the tool's mistake and what to write instead.
 */
export function definePageTools<const T extends ToolSchemas>(
  tools: PageToolsByName<T>,
): readonly PageTool<JsonSchema>[] {
  const fields = ["label", "changes", "confirm"];
  requireDefinedTools("definePageTools", tools, { run: HOW_TO_RUN, fields });
  return entriesOf(tools).map(([name, { parameters, run, ...tool }]) => ({
    ...tool,
    name,
    parameters: jsonSchemaOf(`definePageTools.${name}.parameters`, parameters),
    run: async (args, context) => run((await parsedArguments(parameters, args)) as never, context),
  }));
}

/**
 * Tools that a site's edge serves. They run in a Worker, so they can use what a page must not see.
 *
 * @throws WaggleError `INVALID_ARGUMENT` naming the tool's mistake and what to write instead.
 */
export function defineEdgeTools<const T extends ToolSchemas>(
  tools: EdgeToolsByName<T>,
): readonly EdgeTool[] {
  const fields = ["title", "result", "isPure", "changes"];
  requireDefinedTools("defineEdgeTools", tools, { run: HOW_TO_RUN, fields });
  return entriesOf(tools).map(([name, { description, parameters, run, ...tool }]) => ({
    ...tool,
    definition: {
      name,
      description,
      parameters: jsonSchemaOf(`defineEdgeTools.${name}.parameters`, parameters),
      source: "edge",
    },
    run: async (
      args: { readonly [key: string]: unknown },
      given: AbortSignal | { readonly signal: AbortSignal },
    ) => {
      const context = "signal" in given ? given : { signal: given };
      return run((await parsedArguments(parameters, args)) as never, context);
    },
  }));
}

const HOW_TO_RUN = "(args, { signal })";

function entriesOf(tools: object): readonly [string, AnyTool][] {
  return Object.entries(tools) as [string, AnyTool][];
}
