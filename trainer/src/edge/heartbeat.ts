/** Reports every few seconds that this trainer runs and what it does. Failures are ignored. */
import type { Heartbeat, TrainerActivity } from "@waggle/protocol";

const HEARTBEAT_MS = 5000;

export type HeartbeatOptions = {
  readonly trainerId: string;
  readonly send: (heartbeat: Heartbeat) => Promise<void>;
  /**
   * Calls `fn` periodically.
   * @returns a function that stops it
   */
  readonly every: (ms: number, fn: () => void) => () => void;
};

/** A running heartbeat. */
export interface HeartbeatSender {
  /** Sets the current activity, which the next heartbeat reports. */
  readonly note: (activity: TrainerActivity, step: number) => void;
  /** Stops the timer and reports that the trainer has stopped. */
  stop(): Promise<void>;
}

/** Starts heartbeats; the first one is sent at once. */
export function startHeartbeat({ trainerId, send, every }: HeartbeatOptions): HeartbeatSender {
  let latest: Heartbeat = { trainerId, step: 0, activity: "starting" };
  let sending: Promise<void> | null = null;
  const beat = (): Promise<void> => {
    sending ??= send(latest)
      .catch(() => undefined)
      .finally(() => {
        sending = null;
      });
    return sending;
  };
  void beat();
  const end = every(HEARTBEAT_MS, () => void beat());
  return {
    note: (activity, step) => {
      latest = { trainerId, step, activity };
    },
    stop: async () => {
      end();
      await sending;
      latest = { ...latest, activity: "stopped" };
      await beat();
    },
  };
}
