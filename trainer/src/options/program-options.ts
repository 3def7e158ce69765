/** Process values that commands receive. */

import type { CheckRuntimes } from "./runtime-checks.ts";

/** What the process gives to every command: output, environment variables, and the abort signal. */
export type ProgramOptions = {
  readonly signal: AbortSignal;
  readonly writeOut: (line: string) => void;
  readonly writeError: (line: string) => void;
  readonly environment: { readonly [name: string]: string | undefined };
  /** Fetch function with which commands reach an edge; default: the global one. */
  readonly fetch?: typeof fetch | undefined;
  /** Checks of `check` in other runtimes; default: none. */
  readonly checkRuntimes?: CheckRuntimes | undefined;
};
