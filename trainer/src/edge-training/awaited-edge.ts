/** Waits for an edge that does not answer. The transport has tried several times before; this goes on for as long as it takes. */
import { WaggleError } from "@waggle/protocol";
import { abortableSleep } from "../edge/abortable-sleep.ts";
import type { Reporter } from "../metrics/reporter.ts";
import type { TrainingSessionOptions } from "./training-session-options.ts";

/** Makes calls to the edge, and makes them again if they may succeed later. */
export type Reach = <T>(calls: () => Promise<T>) => Promise<T>;

type Waiting = Pick<TrainingSessionOptions, "pollMs" | "idleExitMs"> & {
  readonly report: Pick<Reporter, "failure">;
  /** Called before each new try. */
  readonly onWait: () => void;
  readonly signal: AbortSignal;
};

/** Whether the edge may answer the same call later. */
export const isRetryable = (error: unknown): boolean => WaggleError.is(error) && error.retryable;

/** @throws the last error if it is not retryable, the signal is aborted, or `idleExitMs` are over. */
export async function untilAnswered<T>(
  calls: () => Promise<T>,
  { pollMs, idleExitMs, report, onWait, signal }: Waiting,
): Promise<T> {
  const since = performance.now();
  for (;;) {
    try {
      return await calls();
    } catch (error) {
      const isOver = signal.aborted || performance.now() - since > idleExitMs;
      if (isOver || !isRetryable(error)) throw error;
      report.failure(error);
      onWait();
      await abortableSleep(pollMs, signal);
      if (signal.aborted) throw error;
    }
  }
}
