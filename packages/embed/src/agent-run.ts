/** A running request as an async iterable. Each reader receives every event, from the first one on. */
import type { StopReason } from "@waggle/protocol";
import type { AgentEvent, AgentRun } from "./agent.ts";

/** How a request may end early. */
export type RunOptions = { readonly signal?: AbortSignal };

/** How a request ended. */
export type RunOutcome = { readonly text: string; readonly stopReason: StopReason };

/** Starts `work` at once. @param work - emits events and resolves with the outcome. */
export function createAgentRun(
  work: (emit: (event: AgentEvent) => void) => Promise<RunOutcome>,
): AgentRun {
  const events: AgentEvent[] = [];
  let ended = false;
  let wake: (() => void)[] = [];
  const notify = (): void => {
    const waiting = wake;
    wake = [];
    for (const resolve of waiting) resolve();
  };
  const finished = work((event) => {
    events.push(event);
    notify();
  }).finally(() => {
    ended = true;
    notify();
  });
  // A caller that only reads events must not cause an unhandled rejection: iterating rethrows the error.
  finished.catch(() => undefined);
  return {
    finished,
    async *[Symbol.asyncIterator]() {
      for (let next = 0; ;) {
        const event = events[next];
        if (event !== undefined) {
          next++;
          yield event;
        } else if (ended) {
          await finished;
          return;
        } else {
          await new Promise<void>((resolve) => wake.push(resolve));
        }
      }
    },
  };
}
