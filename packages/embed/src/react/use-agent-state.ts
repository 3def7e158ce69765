/** The state of an agent, for components that draw the conversation themselves. */
import { useCallback, useRef, useSyncExternalStore } from "react";
import type { Agent } from "../agent.ts";

/** What an agent has to show. */
export type AgentState = Pick<
  Agent,
  "status" | "conversation" | "confirmation" | "policyVersion" | "backend" | "model" | "simulation"
>;

/** Renders the component again after each change. `null` without an agent. */
export function useAgentState(agent: Agent | null): AgentState | null {
  const last = useRef<AgentState | null>(null);
  const subscribe = useCallback(
    (changed: () => void) => agent?.onChange(changed) ?? (() => undefined),
    [agent],
  );
  const read = (): AgentState | null => {
    const state = agent === null ? null : stateOf(agent);
    // React needs the same object until something changes.
    if (!areEqual(last.current, state)) last.current = state;
    return last.current;
  };
  return useSyncExternalStore(subscribe, read, () => null);
}

function areEqual(left: AgentState | null, right: AgentState | null): boolean {
  if (left === null || right === null) return left === right;
  return (Object.keys(left) as (keyof AgentState)[]).every((name) => left[name] === right[name]);
}

function stateOf(agent: Agent): AgentState {
  const { status, conversation, confirmation, policyVersion, backend, model, simulation } = agent;
  return { status, conversation, confirmation, policyVersion, backend, model, simulation };
}
