/** What a page of the dashboard is, and what it is given. */
import { WaggleError } from "@waggle/protocol";
import type { OperatorApi } from "./operator-api.ts";
import { createPoller, type Poller, type PollState } from "./poller.ts";
import { h } from "./dom.ts";

export type ViewContext = {
  readonly api: OperatorApi;
  /** Told of every poll: the bar shows whether what is seen is live. */
  readonly onPoll: (state: PollState<unknown>) => void;
};

export interface View {
  readonly element: HTMLElement;
  readonly title: string;
  dispose(): void;
}

const INTERVAL_MS = 3000;
const LONGEST_MS = 12_000;

/** Polls with the page's own clock and visibility. */
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

/** A sentence about an error that helps. */
export function describeError(error: unknown): string {
  if (WaggleError.is(error, "NETWORK")) return "The edge does not answer. Trying again …";
  if (WaggleError.is(error, "NOT_FOUND")) {
    return "Nothing here yet: the trainer has not said what the base model is.";
  }
  if (WaggleError.is(error)) return `${error.message} (${error.code})`;
  return "The edge answered something that this dashboard does not understand.";
}

/** What stands where there is nothing to show yet. */
export function placeholder(state: PollState<unknown>): HTMLElement {
  return state.error === null
    ? h("p", { class: "notice", role: "status" }, "Loading …")
    : h("p", { class: "notice bad", role: "alert" }, describeError(state.error));
}

const STATUS_TONES: { readonly [status: string]: string } = {
  learned: "good",
  stable: "good",
  leased: "warn",
  canary: "warn",
  rejected: "bad",
  "rolled-back": "bad",
};

/** A word with a dot in its color. */
export function statusChip(status: string): HTMLElement {
  return h("span", { class: `chip ${STATUS_TONES[status] ?? ""}` }, status);
}
