/** The agent of a component. */
import { useEffect, useState } from "react";
import type { Agent } from "../agent.ts";
import type { AgentOptions } from "../agent-options.ts";
import { createAgent } from "../create-agent.ts";

/**
 * Creates an agent when the component is mounted, and disposes it when the component is gone. `null` before that and on
 * a server. Options are read once.
 */
export function useAgent(options: AgentOptions): Agent | null {
  const [agent, setAgent] = useState<Agent | null>(null);
  // StrictMode unmounts a component and mounts it again at once. The agent survives this.
  const [kept] = useState(() => new KeptAgent());
  useEffect(() => {
    setAgent(kept.take(options));
    return () => kept.leave();
    // Options are often written in place, so they are new each time.
  }, [kept]);
  return agent;
}

/** Disposes its agent once it is left, unless it is taken again in the same task. */
class KeptAgent {
  #agent: Agent | null = null;
  #leaving: ReturnType<typeof setTimeout> | undefined;

  take(options: AgentOptions): Agent {
    clearTimeout(this.#leaving);
    return (this.#agent ??= createAgent(options));
  }

  leave(): void {
    this.#leaving = setTimeout(() => {
      void this.#agent?.dispose();
      this.#agent = null;
    });
  }
}
