/** Options of the watch over what is deployed: when publishing stops and a version is rolled back. */
import type { Command } from "commander";
import type { WatchLimits } from "../sink/deployment-watch.ts";
import { number, probability } from "./option-values.ts";

export type WatchOptions = {
  watchSuccess: number;
  watchReadable: number;
  watchDrift: number;
  watchFalseAlarm: number;
};

export function withWatch(command: Command): Command {
  return command
    .option("--watch-success <rate>", "fall of live success that is tolerated", number, 0.05)
    .option("--watch-readable <rate>", "fall of readable turns that is tolerated", number, 0.05)
    .option("--watch-drift <nats>", "largest drift a token from the stable version", number, 0.2)
    .option(
      "--watch-false-alarm <p>",
      "chance that a version without a fall is rolled back, for each of the two",
      probability,
      0.001,
    );
}

export function watchLimitsOf(given: WatchOptions): WatchLimits {
  return {
    success: given.watchSuccess,
    readable: given.watchReadable,
    drift: given.watchDrift,
    falseAlarm: given.watchFalseAlarm,
  };
}
