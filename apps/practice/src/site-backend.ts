/** The site's backend as a page sees it: what the site is, and its tools, which run there. */
import type { AgentOptions, PageTool } from "@waggle/embed";
import type { ToolDefinition } from "@waggle/protocol";

/** What a site says about itself. */
type BackendSite = {
  readonly name: string;
  readonly system: string;
  readonly tools: readonly ToolDefinition[];
  readonly limits: NonNullable<AgentOptions["limits"]>;
};

/** What a call came to. */
type CallResult =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly message: string };

export async function readBackend(backend: string): Promise<BackendSite> {
  const response = await fetch(`${backend}/site`);
  if (!response.ok) throw new Error(`the site's backend responded with status ${response.status}`);
  return (await response.json()) as BackendSite;
}

/** Tools that act on the state of this visit. */
export function backendTools(
  { tools }: Pick<BackendSite, "tools">,
  { backend, visit }: { readonly backend: string; readonly visit: string },
): PageTool[] {
  return tools.map(({ name, description, parameters }) => ({
    name,
    description,
    parameters,
    run: async (args, { signal }) => {
      const response = await fetch(`${backend}/visits/${visit}/calls`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ name, arguments: args }),
        signal,
      });
      const result = (await response.json()) as CallResult;
      if (result.ok) return result.value;
      throw new Error(result.message);
    },
  }));
}
