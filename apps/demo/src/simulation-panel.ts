/** The switch "Let simulated visitors shop", with counts of its results. The reward is computed elsewhere. */
import { createShopEnvironment } from "@waggle/environments";
import type { Agent, EnvironmentFactory } from "@waggle/embed";
import { h } from "@waggle/embed/dom";
import { required } from "./required-element.ts";

/** Each simulated visitor gets a separate shop. The edge's tools are the real ones, over MCP. */
export function environmentFactory(agent: Agent, localEdgeTools: boolean): EnvironmentFactory {
  return (task) =>
    createShopEnvironment(
      task,
      localEdgeTools
        ? {}
        : { edgeTools: (name, args, signal) => agent.callEdgeTool(name, args, signal) },
    );
}

/** Starts the panel. @returns a function that starts a run. */
export function renderSimulation(
  agent: Agent,
  environment: EnvironmentFactory,
  onError: (error: unknown) => void,
): (tasks: number) => void {
  const button = required("simulate", HTMLButtonElement);
  const figures = required("lab-figures", HTMLElement);
  const text = required("lab-note", HTMLElement);
  let controller: AbortController | null = null;

  const start = (tasks: number): void => {
    controller = new AbortController();
    const { signal } = controller;
    agent.simulate({ environment, tasks, signal }).catch(onError);
  };
  button.addEventListener("click", () => {
    if (agent.simulation.running) controller?.abort();
    else start(Infinity);
  });

  const values = new Map<string, HTMLElement>();
  const show = (label: string, value: string): void => {
    let shown = values.get(label);
    if (shown === undefined) {
      shown = h("dd", {});
      values.set(label, shown);
      figures.append(h("div", {}, h("dt", {}, label), shown));
    }
    if (shown.textContent !== value) shown.textContent = value;
  };
  const update = (): void => {
    const { simulation, status, policyVersion } = agent;
    const consented = agent.consent.get() !== null;
    button.setAttribute("aria-checked", String(simulation.running));
    const isSite = agent.model.kind === "site";
    button.disabled = status.phase !== "ready" || !consented || !isSite;
    text.textContent = !isSite
      ? "Only the shop's own model learns; select it below."
      : consented
        ? ""
        : "This needs your consent first: the results of simulated visitors are sent for training.";
    // Nothing to show before the first run.
    if (values.size === 0 && !simulation.running) return;
    const working = simulation.waiting ? "waiting for a task" : "shopping";
    show("now", simulation.running ? working : "stopped");
    show("tasks assigned", String(simulation.assigned));
    show("done", String(simulation.completed));
    show("uploaded", String(simulation.uploaded));
    if (simulation.rejected > 0) show("not accepted", String(simulation.rejected));
    if (simulation.failed > 0) show("failed", String(simulation.failed));
    show("policy version", String(policyVersion ?? "–"));
  };
  agent.onChange(update);
  update();
  return start;
}
