/** The checks that a caller adds to those of this package: it may run an environment in other runtimes than this one. */
import type { EnvironmentCheck } from "@waggle/agent/define";
import type { EnvironmentSpec } from "@waggle/environments";

/** An environment of the user, and the modules that define it. */
export type CheckedEnvironment = {
  readonly spec: EnvironmentSpec;
  /** Absolute path of the module that exports it. */
  readonly file: string;
  readonly exportName: string;
  /** Absolute path of the module with the site's reward; `null` without one. */
  readonly reward: string | null;
  /** The user's folder, in which tools may be installed. */
  readonly project: string;
};

/** Options of `CheckRuntimes`. */
export type RuntimeCheckOptions = {
  /** Checked tasks of each split and level, from which those for the runtimes are chosen. */
  readonly tasks: number;
  readonly signal: AbortSignal;
  readonly onProgress: (check: string, done: number, tasks: number) => void;
  /** Why no runtime can check the environment; each is then skipped with this reason. */
  readonly obstacle: string | null;
};

/** Yields a result for each runtime. */
export type CheckRuntimes = (
  environment: CheckedEnvironment,
  options: RuntimeCheckOptions,
) => AsyncIterable<EnvironmentCheck>;
