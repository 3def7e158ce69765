/** Tools as a page author writes them. */
import type { JsonSchema, Tool } from "@waggle/protocol";

export type PageTool = {
  /** `[a-zA-Z0-9_-]{1,64}`, unique among all tools. */
  readonly name: string;
  /** One sentence for the model. */
  readonly description: string;
  /** JSON Schema of the arguments object; arguments that do not match never reach `run`. */
  readonly parameters: JsonSchema;
  /** Does it, in the page. @returns a JSON value; what it throws becomes a failed result. */
  readonly run: (
    args: { readonly [key: string]: unknown },
    context: { readonly signal: AbortSignal },
  ) => unknown;
};

/** The tool as the loop runs it. */
export function toTool({ name, description, parameters, run }: PageTool): Tool {
  return {
    definition: { name, description, parameters, source: "page" },
    run: async (args, signal) => (await run(args, { signal })) ?? null,
  };
}
