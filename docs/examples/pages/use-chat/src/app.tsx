/** A chat of the AI SDK whose answers come from an agent in the page. */
import { useAgent, useAgentState } from "@waggle/embed/react";
import { Chat } from "./chat.tsx";
import { TOOLS } from "./tools.ts";

const OPTIONS = {
  edgeUrl: "https://edge.example",
  siteKey: "my-site",
  system: "You help in a shop.",
  tools: TOOLS,
};

export function App() {
  const agent = useAgent(OPTIONS);
  const status = useAgentState(agent)?.status;
  return (
    <main>
      <h1>Shop assistant</h1>
      {/* A message that is sent earlier waits for the model. */}
      {status?.phase === "loading" && <p role="status">Loading the model…</p>}
      {status?.phase === "error" && <p role="alert">{status.error?.message}</p>}
      {agent && <Chat agent={agent} />}
    </main>
  );
}
