/** Interface of a dashboard page, and the context it receives. */
import { WaggleError } from "@waggle/protocol";
import type { OperatorApi } from "./operator-api.ts";
import { createPoller, type Poller, type PollState } from "./poller.ts";
import { h } from "@waggle/embed/dom";

/** Context of every page. */
export type ViewContext = {
  readonly api: OperatorApi;
  /** Receives every poll result, so that the bar can show whether the data is live. */
  readonly onPoll: (state: PollState<unknown>) => void;
};

/** A page of the dashboard. */
export interface View {
  readonly element: HTMLElement;
  readonly title: string;
  dispose(): void;
}

const INTERVAL_MS = 3000;
const LONGEST_MS = 12_000;

/** Polls with the browser's clock and page visibility. */
export function poll<T>(
  context: ViewContext,
  ask: () => Promise<T>,
  onState: (state: PollState<T>) => void,
): Poller {
  return createPoller<T>({
    ask,
    onState: (state) => {
      context.onPoll(state);
      onState(state);
    },
    intervalMs: INTERVAL_MS,
    longestMs: LONGEST_MS,
    now: () => Date.now(),
    setTimer: (fn, ms) => {
      const timer = setTimeout(fn, ms);
      return () => clearTimeout(timer);
    },
    isVisible: () => document.visibilityState === "visible",
  });
}

/** A helpful sentence about an error. */
export function describeError(error: unknown): string {
  if (WaggleError.is(error, "NETWORK")) return "The edge does not respond. Retrying …";
  if (WaggleError.is(error, "NOT_FOUND")) {
    return "No data yet: the trainer has not registered a base model.";
  }
  if (WaggleError.is(error)) return `${error.message} (${error.code})`;
  return "The edge sent a response that this dashboard does not understand.";
}

/** Content while there is no data yet. */
export function placeholder(state: PollState<unknown>): HTMLElement {
  return state.error === null
    ? h("p", { class: "notice", role: "status" }, "Loading …")
    : h("p", { class: "notice bad", role: "alert" }, describeError(state.error));
}

const STATUS_TONES: { readonly [status: string]: string } = {
  learned: "good",
  stable: "good",
  on: "good",
  solved: "good",
  leased: "warn",
  canary: "warn",
  stopped: "bad",
  failed: "bad",
  rejected: "bad",
  "rolled-back": "bad",
};

/** A word with a colored dot. */
export function statusChip(status: string): HTMLElement {
  return h("span", { class: `chip ${STATUS_TONES[status] ?? ""}` }, status);
}
