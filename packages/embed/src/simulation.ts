/**
 * Assigned tasks in the tab: ask, roll out, hand over, count. The page never judges a rollout, and an
 * assignment it does not finish harms nobody: the edge gives it a deadline.
 */
import { WaggleError } from "@waggle/protocol";
import type { AssignmentResponse, Environment, Trajectory } from "@waggle/protocol";
import type { EnqueueResult, Outbox } from "@waggle/collector";
import type { SimulateOptions, SimulationProgress } from "./agent.ts";

export const NO_SIMULATION: SimulationProgress = {
  running: false,
  waiting: false,
  assigned: 0,
  completed: 0,
  uploaded: 0,
  rejected: 0,
  failed: 0,
};

export type SimulationParts = {
  readonly outbox: Outbox;
  readonly assign: (signal: AbortSignal) => Promise<AssignmentResponse>;
  readonly rollOut: (
    environment: Environment,
    assignmentId: string,
    signal: AbortSignal,
  ) => Promise<Trajectory>;
  /** `null` where consent was withdrawn meanwhile. */
  readonly enqueue: (trajectory: Trajectory, request: string) => Promise<EnqueueResult | null>;
  readonly onChange: () => void;
  /** Default `setTimeout`. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>;
};

export interface Simulation {
  readonly progress: SimulationProgress;
  /** Aborted for good by `stop`; one run at a time. */
  run(options: SimulateOptions): Promise<SimulationProgress>;
  stop(): void;
  dispose(): void;
}

/** A policy decodes several contexts in one run at less than their sum. */
const DEFAULT_PARALLEL = 4;
/**
 * Results in the outbox above which the tab waits for the network instead of dropping older ones. With the
 * tasks under way it stays below the 64 unanswered tasks that the edge allows a visitor who answers.
 */
const MAX_WAITING = 48;
const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 10_000;
/** Rollouts in a row, of each worker, that threw before the simulation gives up. */
const MAX_FAULTS = 3;

export function createSimulation(parts: SimulationParts): Simulation {
  const pause = parts.pause ?? defaultPause;
  let progress = NO_SIMULATION;
  const update = (change: Partial<SimulationProgress>): void => {
    progress = { ...progress, ...change };
    parts.onChange();
  };
  let controller: AbortController | null = null;

  // Digests that were handed over and are not settled yet.
  const pending = new Set<string>();
  let counting: Promise<void> = Promise.resolve();
  const count = async (): Promise<void> => {
    if (pending.size === 0) return;
    const asked = [...pending];
    const states = await parts.outbox.states(asked);
    if (states === null) return;
    let { uploaded, rejected } = progress;
    for (const digest of asked) {
      const state = states.get(digest);
      if (state === "waiting") continue;
      pending.delete(digest);
      // Not there any more: given up for newer ones, or discarded with the consent.
      if (state === "sent") uploaded++;
      else rejected++;
    }
    if (uploaded !== progress.uploaded || rejected !== progress.rejected) {
      update({ uploaded, rejected });
    }
  };
  let isCountPlanned = false;
  const plannedCount = (): Promise<void> => {
    isCountPlanned = false;
    return count();
  };
  // Many changes come together; one look after the last of them serves all.
  const countSoon = (): void => {
    if (isCountPlanned) return;
    isCountPlanned = true;
    counting = counting.then(plannedCount, plannedCount);
  };
  const leave = parts.outbox.onChange(countSoon);

  /** Asks until there is a task: the edge may be away, or ask for patience. `null` when stopped. */
  const askForTask = async (signal: AbortSignal): Promise<AssignmentResponse | null> => {
    let delayMs = FIRST_RETRY_MS;
    while (!signal.aborted) {
      try {
        const assignment = await parts.assign(signal);
        update({ assigned: progress.assigned + 1, waiting: false });
        return assignment;
      } catch (error) {
        if (signal.aborted) return null;
        if (WaggleError.is(error) && !error.retryable) throw error;
        update({ waiting: true });
        const asked = WaggleError.is(error) ? error.retryAfterMs : undefined;
        await pause(asked ?? delayMs, signal);
        delayMs = Math.min(delayMs * 2, MAX_RETRY_MS);
      }
    }
    return null;
  };
  // One asks at a time: where there is nothing, the others need not hear it too.
  let asking: Promise<unknown> = Promise.resolve();
  const nextTask = (signal: AbortSignal): Promise<AssignmentResponse | null> => {
    const mine = asking.then(() => askForTask(signal));
    asking = mine.catch(() => undefined);
    return mine;
  };

  const rollout = async (
    assignment: AssignmentResponse,
    options: SimulateOptions,
    signal: AbortSignal,
  ): Promise<void> => {
    try {
      const environment = await options.environment(assignment.task);
      let request = "";
      const observed: Environment = {
        task: environment.task,
        observe: async () => {
          const first = await environment.observe();
          request = first.userMessage;
          return first;
        },
        step: (action, stepSignal) => environment.step(action, stepSignal),
      };
      const trajectory = await parts.rollOut(observed, assignment.assignmentId, signal);
      // Half a rollout says nothing about the policy; the edge's deadline closes the assignment.
      if (trajectory.stopReason === "aborted") {
        update({ failed: progress.failed + 1 });
        return;
      }
      const result = await parts.enqueue(trajectory, request);
      const stored = result?.stored === true;
      if (stored) pending.add(result.digest);
      update({
        completed: progress.completed + 1,
        rejected: progress.rejected + (stored ? 0 : 1),
      });
      countSoon();
    } catch (error) {
      update({ failed: progress.failed + 1 });
      throw error;
    }
  };

  const waitForRoom = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted && (await parts.outbox.summary()).waiting > MAX_WAITING) {
      await pause(500, signal);
    }
  };

  return {
    get progress() {
      return progress;
    },
    async run(options) {
      if (controller !== null) {
        throw new WaggleError(
          "INVALID_ARGUMENT",
          "one simulation must run at a time, got a second; stop the first",
        );
      }
      const own = new AbortController();
      controller = own;
      const signal =
        options.signal === undefined ? own.signal : AbortSignal.any([own.signal, options.signal]);
      update({ running: true });
      try {
        let left = options.tasks;
        let faults = 0;
        const attempts = Math.min(options.parallel ?? DEFAULT_PARALLEL, options.tasks);
        const work = async (): Promise<void> => {
          while (left-- > 0 && !signal.aborted) {
            const assignment = await nextTask(signal);
            if (assignment === null) return;
            try {
              await rollout(assignment, options, signal);
              faults = 0;
            } catch (error) {
              // One bad task is data; a policy that fails every time is not.
              if (++faults >= MAX_FAULTS * attempts) throw error;
            }
            await waitForRoom(signal);
          }
        };
        const workers = Array.from({ length: attempts }, work);
        try {
          await Promise.all(workers);
        } finally {
          // Where one gave up the others end too; counts are final when this resolves.
          own.abort();
          await Promise.allSettled(workers);
        }
      } finally {
        controller = null;
        update({ running: false, waiting: false });
      }
      await counting;
      return progress;
    },
    stop: () => controller?.abort(),
    dispose() {
      controller?.abort();
      leave();
    },
  };
}

function defaultPause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", finish);
      resolve();
    };
    const timer = setTimeout(finish, ms);
    signal.addEventListener("abort", finish);
  });
}
