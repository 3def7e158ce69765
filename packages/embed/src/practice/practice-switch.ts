/** The switch that lets simulated visitors practice, with counts of their results. Rewards are computed elsewhere. */
import type { Agent, EnvironmentFactory } from "../agent.ts";
import { h } from "../dom.ts";

/** Where a page shows the practice, and what it says. */
export type PracticeOptions = {
  /** Has `role="switch"`. */
  readonly button: HTMLButtonElement;
  /** Shows why the switch cannot be used, or what ended the practice. */
  readonly note: HTMLElement;
  /** Gets a term and a value for each count. */
  readonly figures: HTMLElement;
  readonly environment: EnvironmentFactory;
  /** Shown while another model runs, which does not learn. */
  readonly otherModel: string;
  /** What a visitor does, such as `working`. */
  readonly working: string;
  readonly onError: (error: unknown) => void;
};

/** Connects the switch. @returns a function that starts a run of that many tasks. */
export function connectPractice(agent: Agent, options: PracticeOptions): (tasks: number) => void {
  const { button, figures, note, environment, otherModel, working } = options;
  let controller: AbortController | null = null;
  let failure = "";

  const start = (tasks: number): void => {
    controller = new AbortController();
    failure = "";
    const { signal } = controller;
    agent.simulate({ environment, tasks, signal }).catch((error: unknown) => {
      failure = `The practice ended: ${error instanceof Error ? error.message : String(error)}`;
      options.onError(error);
      update();
    });
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
  const noteOf = (): string => {
    if (agent.model.kind !== "site") return otherModel;
    if (agent.consent.get() === null) {
      return "This needs your consent first: the results of simulated visitors are sent for training.";
    }
    if (agent.status.phase === "loading") return "The model is loading.";
    if (agent.status.phase === "error") return "The model could not be loaded.";
    return failure;
  };
  const update = (): void => {
    const { simulation, status, policyVersion } = agent;
    button.setAttribute("aria-checked", String(simulation.running));
    const isSite = agent.model.kind === "site";
    button.disabled = status.phase !== "ready" || agent.consent.get() === null || !isSite;
    note.textContent = noteOf();
    // Nothing to show before the first run.
    if (values.size === 0 && !simulation.running) return;
    const now = simulation.waiting ? "waiting for a task" : working;
    show("now", simulation.running ? now : "stopped");
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
