/**
 * Keeps the processes of `waggle dev` running. Restarts a process that ends, with growing waits, and gives up with a reason
 * if it keeps ending.
 */

/** A process that a supervisor can watch and stop. */
export type SupervisedProcess = {
  /** Resolves when the process has ended. */
  readonly exited: Promise<unknown>;
  /** How it ended: `exit code 1`, `signal SIGKILL`. */
  readonly ending: string;
  /** Its last lines of output. */
  readonly tail: readonly string[];
  /** Ends it and its children. */
  readonly stop: () => Promise<void>;
};

/** A process that is restarted when it ends. */
export type Service = {
  readonly name: string;
  /** Starts the process and waits until it is ready. */
  readonly start: (isRestart: boolean) => Promise<SupervisedProcess>;
  /** Resolves with the problem of a process that runs but no longer works. */
  readonly untilUnresponsive?: (signal: AbortSignal) => Promise<string>;
  /** Resolves with what changed, when the process must be replaced by a new one. */
  readonly untilChanged?: (signal: AbortSignal) => Promise<string>;
};

/** Options of `Supervisor`. */
export type SupervisorOptions = {
  readonly say: (line: string) => void;
  /** Returns milliseconds; default `Date.now`. */
  readonly now?: () => number;
  /** Rejects if `signal` is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
};

/** Restarts within the window after which another failure is final. */
export const MAX_RESTARTS = 5;
const WINDOW_MS = 10 * 60_000;
const FIRST_WAIT_MS = 1000;
const LAST_LINES = 3;
/** A process that ends so soon after a change fails because of it. */
const AFTER_CHANGE_MS = 60_000;

/** Restarts services. */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #stopping = new AbortController();
  /** In the order of their first start. */
  readonly #running = new Map<string, SupervisedProcess | null>();
  readonly #giveUp: (reason: string) => void;
  /** Resolves with the reason when a service keeps failing. */
  readonly gaveUp: Promise<string>;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    const { promise, resolve } = Promise.withResolvers<string>();
    this.gaveUp = promise;
    this.#giveUp = resolve;
  }

  /** Starts a service and keeps it running. Rejects if the first start fails. */
  async start(service: Service): Promise<void> {
    this.#running.set(service.name, null);
    const process = await service.start(false);
    this.#running.set(service.name, process);
    void this.#keep(service, process);
  }

  /** Stops all services in reverse order. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const process of [...this.#running.values()].toReversed()) await process?.stop();
  }

  async #keep(service: Service, first: SupervisedProcess): Promise<void> {
    const { signal } = this.#stopping;
    const { say, sleep, now = Date.now } = this.#options;
    const { name } = service;
    let failures: number[] = [];
    let changedAt = -Infinity;
    let process: SupervisedProcess | null = first;
    for (;;) {
      let ending: Ending;
      try {
        process ??= await this.#restart(service);
        ending = await endingOf(service, process, signal);
      } catch (error) {
        const text = error instanceof Error ? error.message : String(error);
        ending = { reason: `a failed start: ${onOneLine(text.split("\n"))}`, isChange: false };
      }
      if (signal.aborted) return;
      await process?.stop();
      process = null;
      this.#running.set(name, null);
      const time = now();
      let { reason } = ending;
      if (!ending.isChange && service.untilChanged && time - changedAt < AFTER_CHANGE_MS) {
        say(`${name} ended with ${reason}; it starts again when a file of the site changes`);
        reason = await service.untilChanged(signal);
        if (signal.aborted) return;
        ending = { reason, isChange: true };
      }
      if (ending.isChange) {
        say(`${name} starts again: ${reason}`);
        changedAt = now();
        continue;
      }
      failures = [...failures.filter((at) => time - at < WINDOW_MS), time];
      const times = failures.length;
      if (times > MAX_RESTARTS) {
        const minutes = WINDOW_MS / 60_000;
        this.#giveUp(`${name} failed ${times} times in ${minutes} minutes, last with ${reason}`);
        return;
      }
      const waitMs = FIRST_WAIT_MS * 2 ** (times - 1);
      const wait = `restart ${times} of ${MAX_RESTARTS} in ${waitMs / 1000} s`;
      say(`${name} ended with ${reason}; ${wait}`);
      await sleep(waitMs, signal).catch(() => undefined);
      if (signal.aborted) return;
    }
  }

  async #restart(service: Service): Promise<SupervisedProcess> {
    const process = await service.start(true);
    if (this.#stopping.signal.aborted) await process.stop();
    else this.#options.say(`${service.name} is running again`);
    this.#running.set(service.name, process);
    return process;
  }
}

type Ending = { readonly reason: string; readonly isChange: boolean };

/** Waits until the process ends, stops working or must be replaced. */
async function endingOf(
  { untilUnresponsive, untilChanged }: Service,
  process: SupervisedProcess,
  stopping: AbortSignal,
): Promise<Ending> {
  const ended = new AbortController();
  const signal = AbortSignal.any([stopping, ended.signal]);
  const failures = [process.exited.then(() => process.ending)];
  if (untilUnresponsive !== undefined) failures.push(untilUnresponsive(signal));
  const endings = failures.map(async (failure) => ({ reason: await failure, isChange: false }));
  const change = untilChanged?.(signal).then((reason) => ({ reason, isChange: true }));
  const { reason, isChange } = await Promise.race(change ? [...endings, change] : endings);
  ended.abort();
  const lines = isChange ? "" : onOneLine(process.tail);
  return { reason: lines === "" ? reason : `${reason} (last output: ${lines})`, isChange };
}

function onOneLine(lines: readonly string[]): string {
  const said = lines.map((line) => line.trim()).filter((line) => line !== "");
  return said.slice(-LAST_LINES).join(" | ").slice(0, 500);
}
