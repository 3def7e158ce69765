/** Starts a process with the simulated people, and asks it for what the report needs. */
import { NODE_OPTIONS, ownProgram } from "../processes/installed.ts";
import { ManagedProcess } from "../processes/managed-process.ts";
import { type LineSink, NODE } from "../processes/programs.ts";
import type { Answered, Asked, PeopleOptions } from "./people-options.ts";
import type { SaidAt, VisitorStatus } from "./visitor-status.ts";

/** How long the current people of all desks may take until they have finished. */
const FINISH_MS = 300_000;

/** The people of one run. */
export class People {
  readonly #process: ManagedProcess;
  readonly #waiting = new Map<number, (answered: Answered) => void>();
  #asked = 0;

  private constructor(child: ManagedProcess) {
    this.#process = child;
    child.child.on("message", (answered: Answered) => {
      this.#waiting.get(answered.id)?.(answered);
      this.#waiting.delete(answered.id);
    });
  }

  /** Starts the process; the first pages are open a little later. */
  static start(options: PeopleOptions, onLine: LineSink): People {
    const started = new ManagedProcess({
      name: "people",
      command: NODE,
      args: [...NODE_OPTIONS, ownProgram("people/people-main"), JSON.stringify(options)],
      cwd: options.project,
      hasChannel: true,
      onLine: (line) => onLine("people", line),
    });
    return new People(started);
  }

  /** Status of every page; empty before the first one is open. */
  async statuses(): Promise<VisitorStatus[]> {
    return (await this.#ask("statuses")) as VisitorStatus[];
  }

  /** What people have said about answers. */
  async reactions(): Promise<SaidAt[]> {
    return (await this.#ask("reactions")) as SaidAt[];
  }

  /** Waits until the current people have finished, and lets no new ones in. */
  async stop(): Promise<void> {
    await this.#ask("stop", FINISH_MS);
  }

  /** Makes every page look for a newer policy. */
  async refresh(): Promise<void> {
    await this.#ask("refresh");
  }

  async close(): Promise<void> {
    await this.#ask("close").catch(() => undefined);
    await this.#process.stop();
  }

  #ask(what: Asked["what"], timeoutMs = 60_000): Promise<unknown> {
    const { name, ending, tail, child } = this.#process;
    const id = (this.#asked += 1);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`${name} did not answer within ${timeoutMs / 1000} s`)),
        timeoutMs,
      );
      void this.#process.exited.then(() =>
        reject(new Error(`${name} ended with ${ending}:\n${tail.join("\n")}`)),
      );
      this.#waiting.set(id, (answered) => {
        clearTimeout(timer);
        if ("error" in answered) reject(new Error(answered.error));
        else resolve(answered.value);
      });
      child.send({ id, what } satisfies Asked, (error) => {
        if (error !== null) reject(error);
      });
    });
  }
}
