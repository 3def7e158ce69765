/**
 * Works on assigned tasks in the tab: request a task, roll out, enqueue the result, count. The page computes no reward, unless
 * its site collects rewards only. An unfinished assignment needs no cleanup, because it expires at the edge.
 */
import { WaggleError } from "@waggle/protocol";
import type { AssignmentResponse, Environment, Trajectory } from "@waggle/protocol";
import type { EnqueueResult, Outbox } from "@waggle/collector";
import type { JudgedEnvironment, SimulateOptions, SimulationProgress } from "./agent.ts";
import { NO_SIMULATION } from "./no-simulation.ts";

/** What a simulation needs from the agent. */
export type SimulationParts = {
  readonly outbox: Outbox;
  readonly assign: (signal: AbortSignal) => Promise<AssignmentResponse>;
  readonly rollOut: (
    environment: Environment,
    assignment: AssignmentResponse,
    signal: AbortSignal,
  ) => Promise<Trajectory>;
  /**
   * For pages that send rewards only: works on the task and sends its reward, in place of `rollOut` and `enqueue`.
   * @returns false if it was aborted
   */
  readonly sendReward?:
    | ((
        environment: Environment | JudgedEnvironment,
        assignment: AssignmentResponse,
        signal: AbortSignal,
      ) => Promise<boolean>)
    | undefined;
  /** Returns `null` if consent was withdrawn in the meantime. */
  readonly enqueue: (trajectory: Trajectory, request: string) => Promise<EnqueueResult | null>;
  readonly onChange: () => void;
  /** Default `setTimeout`. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>;
};

/** Runs assigned tasks, one `run` at a time. */
export interface Simulation {
  readonly progress: SimulationProgress;
  /** Ends early when `stop` is called. Rejects if another run is active. */
  run(options: SimulateOptions): Promise<SimulationProgress>;
  stop(): void;
  dispose(): void;
}

/** Batched decoding of several contexts costs less than decoding them one by one. */
const DEFAULT_PARALLEL = 4;
/**
 * With more waiting results in the outbox, the tab waits for the network instead of dropping older ones.
 * Together with running tasks this stays below the edge's limit of 64 unanswered tasks per visitor.
 */
const MAX_WAITING = 48;
const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 10_000;
/** Consecutive failed rollouts per worker after which the simulation gives up. */
const MAX_FAULTS = 3;

/** Creates a stopped simulation. */
export function createSimulation(parts: SimulationParts): Simulation {
  const pause = parts.pause ?? defaultPause;
  let progress = NO_SIMULATION;
  const update = (change: Partial<SimulationProgress>): void => {
    progress = { ...progress, ...change };
    parts.onChange();
  };
  let controller: AbortController | null = null;

  // Digests that were enqueued and are not settled yet.
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
      // No longer in the outbox: dropped for newer ones, or discarded when consent was withdrawn.
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
  // Changes come in bursts; one check after the last of them is enough.
  const countSoon = (): void => {
    if (isCountPlanned) return;
    isCountPlanned = true;
    counting = counting.then(plannedCount, plannedCount);
  };
  const leave = parts.outbox.onChange(countSoon);

  /** Asks until there is a task, while the edge is unreachable or has none. `null` when stopped. */
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
  // Workers ask one at a time, so that only one of them polls an edge without tasks.
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
      const created = await options.environment(assignment.task);
      if (parts.sendReward !== undefined) {
        const isSent = await parts.sendReward(created, assignment, signal);
        const { completed, uploaded, failed } = progress;
        update(
          isSent ? { completed: completed + 1, uploaded: uploaded + 1 } : { failed: failed + 1 },
        );
        return;
      }
      const environment = "judge" in created ? created.environment : created;
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
      const trajectory = await parts.rollOut(observed, assignment, signal);
      // An aborted rollout says nothing about the policy. Its assignment expires at the edge.
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
          "a simulation is already running; stop it before you start another",
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
        const runners = Math.min(options.parallel ?? DEFAULT_PARALLEL, options.tasks);
        const work = async (): Promise<void> => {
          while (left-- > 0 && !signal.aborted) {
            const assignment = await nextTask(signal);
            if (assignment === null) return;
            try {
              await rollout(assignment, options, signal);
              faults = 0;
            } catch (error) {
              // A single failed task is only counted; repeated failures end the simulation.
              if (++faults >= MAX_FAULTS * runners) throw error;
            }
            await waitForRoom(signal);
          }
        };
        const workers = Array.from({ length: runners }, work);
        try {
          await Promise.all(workers);
        } finally {
          // If one worker gives up, stop the others too, so that the counts are final when this resolves.
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
