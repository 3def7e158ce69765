/** The servers that a page calls for tools: the site's edge, and the MCP servers that the page names. */
import type { Schedule } from "@waggle/collector";
import type { Tool } from "@waggle/protocol";
import type { AgentOptions } from "./agent-options.ts";
import { createRemoteTools, type RemoteTools } from "./remote-tools.ts";
import type { Visitor } from "./visitor.ts";

/** The servers of one page. */
export type ToolServers = Omit<RemoteTools, "call"> & {
  readonly callEdge: RemoteTools["call"];
};

export function createToolServers(
  { edgeTools = [], mcpServers = [] }: Pick<AgentOptions, "edgeTools" | "mcpServers">,
  { session, storage }: Pick<Visitor, "session" | "storage">,
  schedule: Schedule | undefined,
): ToolServers {
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
  const servers = [edge, ...others];
  return {
    callEdge: (...call) => edge.call(...call),
    async list(meanwhile): Promise<readonly Tool[]> {
      return (await Promise.all(servers.map((server) => server.list(meanwhile)))).flat();
    },
    clear() {
      for (const server of servers) server.clear();
    },
    async close() {
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}
