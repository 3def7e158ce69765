/** Runs the checks that built-in environments are tested with. */
import type { EnvironmentSpec } from "@waggle/environments";
import type { TaskReference } from "@waggle/protocol";
import { type CheckContext, type Finding, sampledReferences } from "./check-context.ts";
import { checkHeldOut } from "./held-out-check.ts";
import { checkLevels } from "./level-check.ts";
import { checkReplay } from "./replay-check.ts";
import { checkSchemas, checkSecrets, checkSplits, checkTasks } from "./task-checks.ts";
import { watchTimeouts } from "./timeout-watch.ts";
import {
  checkDemonstrator,
  checkGold,
  checkHostile,
  checkMistakes,
  checkNearMisses,
} from "./verifier-checks.ts";

/** The result of one check. */
export type EnvironmentCheck = {
  readonly check: string;
  readonly status: "passed" | "failed" | "skipped";
  /** One sentence for the author. */
  readonly words: string;
  /** A task that shows the failure. */
  readonly task?: TaskReference | undefined;
};

/** Options of `checkEnvironment`. */
export type EnvironmentCheckOptions = {
  /** Tasks of each split and level. Default 100. */
  readonly tasks?: number | undefined;
  /**
   * `"retention"`: only the checks of an environment that is played and never trained on, such as a site's
   * `retentionEnvironment`: its tasks repeat, its tools and prompt are sound, and its verifier is right about the gold turns
   * and near misses. Default `"practice"`: all checks.
   */
  readonly use?: "practice" | "retention" | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called while a check runs. */
  readonly onProgress?: ((check: string, done: number, tasks: number) => void) | undefined;
};

/** A mistake in one kind of ten, in one task of ten, shows. */
const DEFAULT_TASKS = 100;

const CHECKS: { readonly [name: string]: (context: CheckContext) => Promise<Finding> } = {
  tasks: checkTasks,
  splits: checkSplits,
  "held out": checkHeldOut,
  schemas: checkSchemas,
  secrets: checkSecrets,
  gold: checkGold,
  "near misses": checkNearMisses,
  "doing nothing": checkHostile,
  demonstrator: checkDemonstrator,
  mistakes: checkMistakes,
  replay: checkReplay,
  levels: checkLevels,
};

/** The checks of an environment that is never trained on. It has no splits, no base model and no levels to compare. */
const OF_RETENTION = ["tasks", "schemas", "secrets", "gold", "near misses", "replay"];

/**
 * Yields the result of each check. A check that cannot run has failed, and the next one runs. A tool that takes too long
 * is waited for once.
 */
export async function* checkEnvironment(
  given: EnvironmentSpec,
  options: EnvironmentCheckOptions = {},
): AsyncGenerator<EnvironmentCheck> {
  const { tasks = DEFAULT_TASKS, use = "practice", onProgress } = options;
  const { signal = new AbortController().signal } = options;
  const { spec } = watchTimeouts(given);
  const references = sampledReferences(spec, tasks);
  for (const [check, run] of Object.entries(CHECKS)) {
    if (use === "retention" && !OF_RETENTION.includes(check)) continue;
    signal.throwIfAborted();
    const onTask = (done: number, count: number): void => onProgress?.(check, done, count);
    yield { check, ...(await finding(run, { spec, references, signal, onTask })) };
  }
}

async function finding(
  run: (context: CheckContext) => Promise<Finding>,
  context: CheckContext,
): Promise<Finding> {
  try {
    return await run(context);
  } catch (error) {
    context.signal.throwIfAborted();
    const message = error instanceof Error ? error.message : String(error);
    return { status: "failed", words: message.slice(0, 500) };
  }
}
