/** Process values that commands receive. */

/** What the process gives to every command: output, environment variables, and the abort signal. */
export type ProgramOptions = {
  readonly signal: AbortSignal;
  readonly writeOut: (line: string) => void;
  readonly writeError: (line: string) => void;
  readonly environment: { readonly [name: string]: string | undefined };
  /** Fetch function with which commands reach an edge; default: the global one. */
  readonly fetch?: typeof fetch | undefined;
};
