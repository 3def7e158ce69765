/** Child processes with their own process groups: starts them, reads their output, waits until they respond, ends them. */
import { type ChildProcess, spawn } from "node:child_process";
import type { Socket } from "node:net";
import { ownProgram } from "./installed.ts";

/** Options of a `ManagedProcess`. */
export type ProcessOptions = {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Whether messages can be sent to it and received from it, with `child.send` and `child.on("message")`; default not. */
  readonly hasChannel?: boolean;
  /** Receives each line of output. */
  readonly onLine?: (line: string) => void;
  /** Receives the lines of standard output instead of `onLine`. */
  readonly onOutput?: (line: string) => void;
};

const live = new Set<ManagedProcess>();
let watchdog: ChildProcess | null = null;

/** Tells the watchdog which process groups to end if this process is killed. */
function guardGroups(): void {
  if (watchdog === null) {
    const started = spawn(process.execPath, [ownProgram("processes/watchdog")], {
      stdio: ["pipe", "ignore", "ignore"],
      detached: true,
    });
    started.on("exit", () => (watchdog = null));
    // A watchdog that was killed is replaced when the next process starts.
    started.stdin.on("error", () => undefined);
    // It must not keep this process running.
    started.unref();
    (started.stdin as Socket).unref();
    watchdog = started;
  }
  watchdog.stdin?.write(`${[...live].map(({ child }) => child.pid ?? 0).join(" ")}\n`);
}

/** Ends all processes that were started here, in reverse order, so that the trainer can return its lease to the edge. */
export async function stopAll(): Promise<void> {
  for (const child of [...live].toReversed()) await child.stop();
}

/**
 * A child process with its own process group, so that its children end with it, and so that all of them end if this
 * process is killed.
 */
export class ManagedProcess {
  readonly name: string;
  readonly child: ChildProcess;
  readonly exited: Promise<number>;
  /** Last lines of output, for error messages. */
  readonly tail: string[] = [];

  constructor(options: ProcessOptions) {
    this.name = options.name;
    this.child = spawn(options.command, options.args, {
      cwd: options.cwd ?? process.cwd(),
      env: { ...process.env, ...options.env },
      stdio: ["ignore", "pipe", "pipe", ...(options.hasChannel === true ? ["ipc" as const] : [])],
      detached: true,
    });
    live.add(this);
    guardGroups();
    this.exited = new Promise((resolve) => {
      this.child.on("exit", (code) => resolve(code ?? 1));
      this.child.on("error", () => resolve(1));
    });
    const { onLine, onOutput = onLine } = options;
    for (const [stream, tell] of [
      [this.child.stdout, onOutput],
      [this.child.stderr, onLine],
    ] as const) {
      let rest = "";
      stream?.setEncoding("utf8");
      stream?.on("data", (chunk: string) => {
        const lines = (rest + chunk).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) {
          this.tail.push(line);
          if (this.tail.length > 60) this.tail.shift();
          tell?.(line);
        }
      });
    }
  }

  get running(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** How the process ended, for display. */
  get ending(): string {
    const { exitCode, signalCode } = this.child;
    if (signalCode !== null) return `signal ${signalCode}`;
    return exitCode === null ? "no process" : `exit code ${exitCode}`;
  }

  /** Sends `signal` to the whole process group. */
  signal(signal: NodeJS.Signals): void {
    if (this.child.pid === undefined) return;
    try {
      process.kill(-this.child.pid, signal);
    } catch {
      // The group has already ended.
    }
  }

  /** Asks the process to end, and kills it after `graceMs`. */
  async stop(graceMs = 8000): Promise<void> {
    if (this.running) {
      this.signal("SIGTERM");
      const timer = setTimeout(() => this.signal("SIGKILL"), graceMs);
      await this.exited;
      clearTimeout(timer);
    }
    this.signal("SIGKILL"); // children that the leader left behind
    live.delete(this);
    guardGroups();
  }
}

/** Waits until `url` responds with a status below 500. */
export async function waitForHttp(
  url: string,
  of: ManagedProcess,
  timeoutMs = 120_000,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    if (!of.running) {
      throw new Error(
        `${of.name} ended with ${of.ending} before it responded:\n${of.tail.join("\n")}`,
      );
    }
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(2000) });
      await response.body?.cancel();
      if (response.status < 500) return;
    } catch {
      // Not up yet.
    }
    if (Date.now() > deadline) {
      throw new Error(
        `${of.name} did not respond at ${url} within ${timeoutMs / 1000} s. If this machine is busy, try again. ${printed(of.tail)}`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 150));
  }
}

function printed(tail: readonly string[]): string {
  return tail.length === 0 ? "It printed nothing." : `It printed:\n${tail.join("\n")}`;
}
