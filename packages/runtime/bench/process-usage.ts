/**
 * Processor time and memory of a browser with all of its processes, read from Linux's `/proc`. Unlike time on the clock, both
 * hardly depend on other work on the machine.
 */
import { readdirSync, readFileSync } from "node:fs";

/** Milliseconds on a processor, by thread. */
type ThreadTimes = ReadonlyMap<string, number>;

/** A process that this one started, with its descendants. */
export class ProcessUsage {
  readonly #root: number;

  /**
   * @param mark - text on the command line of the process, such as its profile's folder.
   * @throws Error on systems without `/proc`, and if there is no such process.
   */
  constructor(mark: string) {
    const found = childrenOf(process.pid).find((pid) =>
      read(`/proc/${pid}/cmdline`).includes(mark),
    );
    if (found === undefined) {
      throw new Error("cannot find the browser's process; this benchmark needs Linux with /proc");
    }
    this.#root = found;
  }

  /** To the nanosecond. Threads that have ended are not counted. */
  threadTimes(): ThreadTimes {
    const times = new Map<string, number>();
    for (const pid of this.#processes()) {
      for (const thread of list(`/proc/${pid}/task`)) {
        const [running = "0"] = read(`/proc/${pid}/task/${thread}/schedstat`).split(" ");
        times.set(thread, Number(running) / 1e6);
      }
    }
    return times;
  }

  /** Bytes of memory that no file backs: heaps of JavaScript and WebAssembly, buffers. */
  heldBytes(): number {
    let sum = 0;
    for (const pid of this.#processes()) {
      const status = read(`/proc/${pid}/status`);
      for (const [, kilobytes] of status.matchAll(/^Rss(?:Anon|Shmem):\s+(\d+)/gm)) {
        sum += 1024 * Number(kilobytes);
      }
    }
    return sum;
  }

  #processes(): number[] {
    const all = [this.#root];
    for (const pid of all) all.push(...childrenOf(pid));
    return all;
  }
}

/** Milliseconds between two readings: of all threads together, and of the busiest. */
export function timeBetween(
  before: ThreadTimes,
  after: ThreadTimes,
): { readonly all: number; readonly busiest: number } {
  let all = 0;
  let busiest = 0;
  for (const [thread, time] of after) {
    const spent = time - (before.get(thread) ?? 0);
    all += spent;
    busiest = Math.max(busiest, spent);
  }
  return { all, busiest };
}

function childrenOf(pid: number): number[] {
  return list(`/proc/${pid}/task`).flatMap((thread) =>
    read(`/proc/${pid}/task/${thread}/children`).split(" ").filter(Boolean).map(Number),
  );
}

/** Empty if the process has ended meanwhile. */
function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
