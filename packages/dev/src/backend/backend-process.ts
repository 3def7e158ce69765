/** Starts a process: the site's backend of a live run. */
import { NODE_OPTIONS, ownProgram } from "../processes/installed.ts";
import type { ManagedProcess } from "../processes/managed-process.ts";
import { type LineSink, NODE, startProgram, whenUp } from "../processes/programs.ts";

/** What the process is told. */
export type BackendProcessOptions = {
  /** The environment that has the site's state, as `--env` takes it. */
  readonly environment: string;
  /** Folder from which it is found. */
  readonly project: string;
  readonly edgeUrl: string;
  readonly port: number;
};

/** @param credential - of the site's server, for outcomes. */
export function startBackend(
  options: BackendProcessOptions,
  credential: string,
  onLine: LineSink,
): Promise<ManagedProcess> {
  const backend = startProgram({
    name: "backend",
    command: NODE,
    args: [...NODE_OPTIONS, ownProgram("backend/backend-main"), JSON.stringify(options)],
    cwd: options.project,
    env: { WAGGLE_OUTCOMES_CREDENTIAL: credential },
    onLine,
  });
  return whenUp(backend, `http://127.0.0.1:${options.port}/site`);
}
