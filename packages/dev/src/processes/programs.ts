/** Runs programs of the local stack, such as Wrangler and Vite, with quiet output. */
import { FROM_SOURCE } from "./installed.ts";
import { ManagedProcess, type ProcessOptions, waitForHttp } from "./managed-process.ts";

/** The Node that runs this program. */
export const NODE: string = process.execPath;

/** Environment variables of every program. */
export const QUIET: Readonly<Record<string, string>> = {
  WRANGLER_SEND_METRICS: "false",
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  // In the repository nothing has to be built first.
  ...(FROM_SOURCE ? { WRANGLER_BUILD_CONDITIONS: "source,workerd,worker,browser" } : {}),
  CI: "true",
  NO_COLOR: "1",
  FORCE_COLOR: "0",
};

/** Receives one line of a program's output. */
export type LineSink = (name: string, line: string) => void;

/** Options of `startProgram`. */
export type StartOptions = Omit<ProcessOptions, "onLine"> & {
  readonly onLine?: LineSink | undefined;
};

/** Starts a program with quiet output. */
export function startProgram({ onLine, ...options }: StartOptions): ManagedProcess {
  return new ManagedProcess({
    ...options,
    env: { ...QUIET, ...options.env },
    ...(onLine ? { onLine: (line: string) => onLine(options.name, line) } : {}),
  });
}

/** Options of `runToEnd`. */
export type RunOptions = {
  readonly env?: Readonly<Record<string, string>>;
  readonly onLine?: LineSink | undefined;
  /** Receives the lines of standard output instead of `onLine`. */
  readonly onOutput?: (line: string) => void;
};

/** Runs a script with Node. @throws Error with its last output if it fails. */
export async function runToEnd(
  name: string,
  args: readonly string[],
  { env, onLine, onOutput }: RunOptions = {},
): Promise<void> {
  const child = startProgram({
    name,
    command: NODE,
    args,
    // A test runner's NODE_ENV would give a development build without a service worker and with larger libraries.
    env: { NODE_ENV: "production", ...env },
    onLine,
    ...(onOutput && { onOutput }),
  });
  const code = await child.exited;
  if (code !== 0) throw new Error(`${name} failed with ${child.ending}:\n${child.tail.join("\n")}`);
}

/** Returns the process once it responds; ends it if it does not. */
export async function whenUp(child: ManagedProcess, url: string): Promise<ManagedProcess> {
  try {
    await waitForHttp(url, child);
    return child;
  } catch (error) {
    await child.stop();
    throw error;
  }
}
