/** Tools as a page author writes them. */
import { WaggleError } from "@waggle/protocol";
import type { JsonSchema, Tool } from "@waggle/protocol";

/** A function of the page that the model can call. */
export type PageTool = {
  /** `[a-zA-Z0-9_-]{1,64}`, unique among all tools. */
  readonly name: string;
  /** One sentence that tells the model what the tool does. */
  readonly description: string;
  /** JSON Schema of the arguments object. `run` is called only with arguments that match it. */
  readonly parameters: JsonSchema;
  /** Runs the tool in the page. @returns a JSON value; an exception becomes a failed result. */
  readonly run: (
    args: { readonly [key: string]: unknown },
    context: { readonly signal: AbortSignal },
  ) => unknown;
};

/** Converts the tool to the form that the agent loop runs. */
export function toTool({ name, description, parameters, run }: PageTool): Tool {
  return {
    definition: { name, description, parameters, source: "page" },
    run: async (args, signal) => (await run(args, { signal })) ?? null,
  };
}

const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** @throws WaggleError `INVALID_ARGUMENT` if a name is invalid or two tools have the same name. */
export function requireToolNames(
  pageTools: readonly Pick<PageTool, "name">[],
  edgeTools: readonly string[],
): void {
  const pageNames = pageTools.map(({ name }) => name);
  const invalid = [...pageNames, ...edgeTools].find((name) => !TOOL_NAME.test(name));
  const duplicate = pageNames.find((name, index) => pageNames.indexOf(name) !== index);
  const shared = pageNames.find((name) => edgeTools.includes(name));
  if (invalid !== undefined) {
    throw misnamed(
      `"${invalid.slice(0, 64)}" cannot be the name of a tool; use only letters, digits, _ and -`,
    );
  }
  if (duplicate !== undefined) throw misnamed(`two tools have the name "${duplicate}"; rename one`);
  if (shared !== undefined) {
    throw misnamed(`the tool "${shared}" is in tools and in edgeTools; rename one or leave it out`);
  }
}

function misnamed(message: string): WaggleError {
  return new WaggleError("INVALID_ARGUMENT", message);
}
