/** Process values that commands receive. */

export type ProgramOptions = {
  readonly signal: AbortSignal;
  readonly writeOut: (line: string) => void;
  readonly writeError: (line: string) => void;
  readonly environment: { readonly [name: string]: string | undefined };
  /** Fetch function with which `export` reaches an edge; default: the global one. */
  readonly fetch?: typeof fetch | undefined;
};
