/** Options of the deployment watch: when publishing stops and a version is rolled back. */
import type { Command } from "commander";
import type { WatchLimits } from "../sink/deployment-watch.ts";
import { number, probability } from "./option-values.ts";

/** Parsed values of the watch options. */
export type WatchOptions = {
  watchSuccess: number;
  watchReadable: number;
  watchDrift: number;
  watchBaseDrift: number;
  watchFalseAlarm: number;
};

/** Adds the limits of the deployment watch. */
export function withWatch(command: Command): Command {
  return command
    .option("--watch-success <rate>", "tolerated drop in the live success rate", number, 0.05)
    .option(
      "--watch-readable <rate>",
      "tolerated drop in the share of readable turns",
      number,
      0.05,
    )
    .option("--watch-drift <nats>", "maximum drift per token from the stable version", number, 0.2)
    .option(
      "--watch-base-drift <nats>",
      "maximum drift per token from the base model; 0 = no limit",
      number,
      0.5,
    )
    .option(
      "--watch-false-alarm <p>",
      "probability that a version without a drop is rolled back, for each of the two rates",
      probability,
      0.001,
    );
}

/** The limits that the options set. */
export function watchLimitsOf(given: WatchOptions): WatchLimits {
  return {
    success: given.watchSuccess,
    readable: given.watchReadable,
    drift: given.watchDrift,
    baseDrift: given.watchBaseDrift === 0 ? undefined : given.watchBaseDrift,
    falseAlarm: given.watchFalseAlarm,
  };
}
