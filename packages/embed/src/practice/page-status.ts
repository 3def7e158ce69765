/** `window.wagglePage`: status of a page for programs. Tests and the loop's report read it. */
import type { Agent } from "../agent.ts";

/** The published status. */
export type PageStatus = {
  readonly phase: string;
  readonly trajectories: {
    readonly assigned: number;
    readonly completed: number;
    readonly uploaded: number;
    readonly rejected: number;
    readonly failed: number;
  };
  readonly outbox: {
    readonly waiting: number;
    readonly sent: number;
    readonly rejected: number;
    readonly dropped: number;
    readonly storage: string;
  };
  /** Whether simulated visitors practice. */
  readonly simulating: boolean;
  readonly policyVersion: number | null;
  /** Every version that was current in this page, oldest first, with the time it became current (ms since 1970). */
  readonly versions: readonly { readonly version: number; readonly at: number }[];
  readonly backend: string | null;
  readonly crossOriginIsolated: boolean;
  /** How often this tab reloaded the page. */
  readonly reloads: number;
  /** True once the page can be reloaded without a network. */
  readonly offlineReady: boolean;
  readonly errors: readonly string[];
};

declare global {
  interface Window {
    wagglePage: {
      readonly status: () => PageStatus;
      readonly agent: Agent;
    };
  }
}

const LOADS = "waggle-demo.loads";
const MAX_ERRORS = 50;

/** Callbacks that update the status. */
export type StatusReporter = {
  readonly addError: (error: unknown) => void;
  readonly setOfflineReady: () => void;
};

/** Publishes `window.wagglePage`. */
export function reportStatus(agent: Agent): StatusReporter {
  const loads = Number(sessionStorage.getItem(LOADS) ?? "0") + 1;
  sessionStorage.setItem(LOADS, String(loads));
  const errors: string[] = [];
  const versions: { version: number; at: number }[] = [];
  let offlineReady = false;
  let outbox: PageStatus["outbox"] = {
    waiting: 0,
    sent: 0,
    rejected: 0,
    dropped: 0,
    storage: "ok",
  };
  let reading = false;

  const addError = (error: unknown): void => {
    const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    if (errors.length < MAX_ERRORS) errors.push(text);
  };
  const update = (): void => {
    const { policyVersion } = agent;
    if (policyVersion !== null && versions.at(-1)?.version !== policyVersion) {
      versions.push({ version: policyVersion, at: Date.now() });
    }
    if (reading) return;
    reading = true;
    void agent.outbox().then(({ waiting, sent, rejected, dropped, storage }) => {
      outbox = { waiting, sent, rejected, dropped, storage };
      reading = false;
    });
  };
  agent.onChange(update);
  update();
  window.addEventListener("error", (event) => addError(event.error ?? event.message));
  window.addEventListener("unhandledrejection", (event) => addError(event.reason));

  window.wagglePage = {
    agent,
    status: () => {
      const { running, ...trajectories } = agent.simulation;
      const { error } = agent.status;
      return {
        phase: agent.status.phase,
        trajectories,
        outbox,
        simulating: running,
        policyVersion: agent.policyVersion,
        versions: [...versions],
        backend: agent.backend,
        crossOriginIsolated: window.crossOriginIsolated,
        reloads: loads - 1,
        offlineReady,
        errors: error === null ? [...errors] : [...errors, `${error.code}: ${error.message}`],
      };
    },
  };
  return {
    addError,
    setOfflineReady: () => {
      offlineReady = true;
    },
  };
}
