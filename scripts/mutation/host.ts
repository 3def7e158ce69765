/** Runs test files in a child process, which is killed with all its children if one takes too long. */
import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import { ROOT } from "../root.ts";
import type { HostAnswer, HostRequest } from "./host-messages.ts";

const PROGRAM = join(ROOT, "scripts/mutation/test-host.ts");

/** Starts the process on demand, one request at a time. */
export class TestHost {
  #child: ChildProcess | null = null;

  /** @returns null if the test did not end within the limit. */
  async run(request: HostRequest, limitMs: number): Promise<HostAnswer | null> {
    const child = (this.#child ??= fork(PROGRAM, {
      cwd: ROOT,
      execArgv: ["--conditions=source", "--disable-warning=ExperimentalWarning"],
      detached: true,
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      env: { ...process.env, WRANGLER_SEND_METRICS: "false" },
    }));
    const { promise, resolve, reject } = Promise.withResolvers<HostAnswer | null>();
    const onMessage = (message: HostAnswer | { readonly error: string }): void => {
      if ("error" in message) reject(new Error(message.error));
      else resolve(message);
    };
    const onExit = (): void =>
      resolve({ ...CRASHED, failure: `${request.test} ended its process` });
    const timer = setTimeout(() => resolve(null), limitMs);
    child.once("message", onMessage);
    child.once("exit", onExit);
    child.send(request);
    try {
      const answer = await promise;
      if (answer === null || child.exitCode !== null) this.stop();
      return answer;
    } finally {
      clearTimeout(timer);
      child.off("message", onMessage);
      child.off("exit", onExit);
    }
  }

  /** Kills the process and the tests that it runs. */
  stop(): void {
    const pid = this.#child?.pid;
    this.#child = null;
    if (pid === undefined) return;
    try {
      process.kill(-pid, "SIGKILL");
    } catch {
      // It has already ended.
    }
  }
}

const CRASHED = { isTimeout: false, seconds: 0, reached: [] };
