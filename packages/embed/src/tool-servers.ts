/** The servers that a page calls for tools: the site's edge, and the MCP servers that the page names. */
import type { Schedule } from "@waggle/collector";
import type { Tool } from "@waggle/protocol";
import type { AgentOptions } from "./agent-options.ts";
import type { RemoteTools } from "./remote-tools.ts";
import type { Visitor } from "./visitor.ts";

/** The servers of one page. */
export type ToolServers = Omit<RemoteTools, "call"> & {
  readonly callEdge: RemoteTools["call"];
};

/** The servers. What connects to them is loaded with the first use, because many pages have tools of their own only. */
export function createToolServers(
  { edgeTools = [], mcpServers = [] }: Pick<AgentOptions, "edgeTools" | "mcpServers">,
  { session, storage }: Pick<Visitor, "session" | "storage">,
  schedule: Schedule | undefined,
): ToolServers {
  const hasTools = edgeTools.length > 0 || mcpServers.length > 0;
  let opened: Promise<readonly [edge: RemoteTools, ...others: RemoteTools[]]> | null = null;
  const open = async () => {
    const { createRemoteTools } = await import("./remote-tools.ts");
    const edge = createRemoteTools({
      url: `${session.edgeUrl}/mcp`,
      names: edgeTools,
      headers: async () => ({ authorization: `Bearer ${await session.token()}` }),
      storage,
      schedule,
    });
    const others = mcpServers.map(({ tools: names, ...server }) =>
      // The site's environment has them in the order of their names here. The edge's order is the environment's already.
      createRemoteTools({ ...server, names, inNamedOrder: true, storage, schedule }),
    );
    return [edge, ...others] as const;
  };
  const servers = () => (opened ??= open());
  return {
    async callEdge(...call) {
      const [edge] = await servers();
      return edge.call(...call);
    },
    async list(meanwhile): Promise<readonly Tool[]> {
      if (!hasTools) return [];
      return (await Promise.all((await servers()).map((server) => server.list(meanwhile)))).flat();
    },
    clear() {
      if (hasTools) void servers().then((all) => all.forEach((server) => server.clear()));
    },
    async close() {
      if (opened !== null) await Promise.all((await opened).map((server) => server.close()));
    },
  };
}
