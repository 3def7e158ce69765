/** Tells the edge every few seconds that this trainer runs and what it is doing. A failure changes nothing. */
import type { Heartbeat, TrainerActivity } from "@waggle/protocol";

const HEARTBEAT_MS = 5000;

export type HeartbeatOptions = {
  readonly trainerId: string;
  readonly send: (heartbeat: Heartbeat) => Promise<void>;
  /** Calls `fn` again and again. @returns what ends it */
  readonly every: (ms: number, fn: () => void) => () => void;
};

export interface HeartbeatSender {
  /** Notes what the trainer does now; told to the edge with the next heartbeat. */
  readonly note: (activity: TrainerActivity, step: number) => void;
  /** Ends the timer and says goodbye. */
  stop(): Promise<void>;
}

/** Sends the first heartbeat at once. */
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
