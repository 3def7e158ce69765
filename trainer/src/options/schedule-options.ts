/**
 * Options for AdamW: learning rate and schedule, gradient clipping, weight decay, microbatch size.
 */
import { constantRate, cosineRate, type LearningRate, warmedUpRate } from "@waggle/learning";
import { WaggleError } from "@waggle/protocol";
import { type Command, Option } from "commander";
import { number, positive, whole } from "./option-values.ts";

/** Parsed values of the schedule options. */
export type ScheduleOptions = {
  learningRate: number;
  schedule: "constant" | "cosine";
  warmupSteps: number;
  scheduleSteps?: number;
  maxGradientNorm: number;
  weightDecay: number;
};

/** Final fraction of the peak rate after a cosine, so that longer runs still learn. */
const FLOOR = 0.1;

/** Adds the AdamW options. @param learningRate default of the peak */
export function withSchedule(command: Command, learningRate: number): Command {
  return command
    .option("--learning-rate <rate>", "peak learning rate of AdamW", number, learningRate)
    .addOption(
      new Option(
        "--schedule <name>",
        "learning-rate schedule; cosine decays to a tenth of the peak",
      )
        .choices(["constant", "cosine"])
        .default("constant"),
    )
    .option("--warmup-steps <n>", "steps of linear warm-up", whole, 0)
    .option(
      "--schedule-steps <n>",
      "step at which the cosine ends; default: the last step",
      positive,
    )
    .option("--max-gradient-norm <norm>", "clip gradients to this norm; 0 = no clipping", number, 1)
    .option("--weight-decay <rate>", "decoupled weight decay of matrices", number, 0);
}

/**
 * @param lastStep last step of the run, if it has one
 * @throws WaggleError `INVALID_ARGUMENT` for a cosine without an end, or one that ends during
 *   warm-up.
 */
export function learningRateOf(given: ScheduleOptions, lastStep: number): LearningRate {
  const { learningRate: rate, schedule, warmupSteps: warmUpSteps } = given;
  if (schedule === "constant") {
    return warmUpSteps === 0 ? constantRate(rate) : warmedUpRate(rate, warmUpSteps);
  }
  const totalSteps = given.scheduleSteps ?? lastStep;
  if (!Number.isFinite(totalSteps) || totalSteps <= warmUpSteps) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `the cosine schedule has ${totalSteps} steps and ends before its ${warmUpSteps} steps of warm-up; pass --schedule-steps, or fewer --warmup-steps`,
    );
  }
  return cosineRate({ rate, warmUpSteps, totalSteps, floor: FLOOR * rate });
}
