/** What the commands are given by the process that runs them. */

export type ProgramOptions = {
  readonly signal: AbortSignal;
  readonly writeOut: (line: string) => void;
  readonly writeError: (line: string) => void;
  readonly environment: { readonly [name: string]: string | undefined };
  /** How `export` reaches an edge; default: the global one. */
  readonly fetch?: typeof fetch | undefined;
};
