/** Options for AdamW: learning rate and schedule, moments, gradient clipping, weight decay. */
import {
  constantRate,
  cosineRate,
  type LearningRate,
  type Recipe,
  type Stage,
  warmedUpRate,
} from "@waggle/learning";
import { rate } from "@waggle/learning/parts";
import { type OptimizerOptions, WaggleError } from "@waggle/protocol";
import { type Command, Option } from "commander";
import { fraction, number, positive, whole } from "./option-values.ts";

/** Parsed values of the schedule options. */
export type ScheduleOptions = OptimizerFlags & {
  learningRate: number;
  schedule: "constant" | "cosine";
  warmupSteps: number;
  scheduleSteps?: number;
};

/** Parsed values of those options of a command whose recipes have their own; each may be absent. */
export type ScheduleFlags = Partial<ScheduleOptions>;

type OptimizerFlags = Pick<OptimizerOptions, "maxGradientNorm" | "weightDecay" | "beta1" | "beta2">;

/** Final fraction of the peak rate after a cosine, so that longer runs still learn. */
const FLOOR = 0.1;

/** The names of all schedule options. */
const NAMES = [
  "learningRate",
  "schedule",
  "warmupSteps",
  "scheduleSteps",
  "maxGradientNorm",
  "weightDecay",
  "beta1",
  "beta2",
] as const satisfies readonly (keyof ScheduleOptions)[];

/**
 * The AdamW options.
 *
 * @param learningRate default of the peak, or how `--help` describes it where it depends on the recipe; `null`: all defaults
 *   are the recipe's
 */
function scheduleOptions(learningRate: number | string | null): Option[] {
  const own = learningRate === null ? " (default: the recipe's)" : "";
  const option = (flags: string, what: string, byDefault?: unknown): Option =>
    new Option(flags, what).default(learningRate === null ? undefined : byDefault);
  const isText = typeof learningRate === "string";
  return [
    option(
      "--learning-rate <rate>",
      `peak learning rate of AdamW${isText ? ` (default: ${learningRate})` : own}`,
      isText ? undefined : learningRate,
    ).argParser(number),
    option(
      "--schedule <name>",
      `learning-rate schedule; cosine decays to a tenth of the peak${own}`,
      "constant",
    ).choices(["constant", "cosine"]),
    option("--warmup-steps <n>", `steps of linear warm-up${own}`, 0).argParser(whole),
    option(
      "--schedule-steps <n>",
      "step at which the cosine ends (default: the last step)",
    ).argParser(positive),
    option(
      "--max-gradient-norm <norm>",
      `clip gradients to this norm; 0 = no clipping${own}`,
      1,
    ).argParser(number),
    option("--weight-decay <rate>", `decoupled weight decay of matrices${own}`, 0).argParser(
      number,
    ),
    option(
      "--beta1 <rate>",
      `decay of AdamW's first moment${own === "" ? " (default: 0.9)" : own}`,
    ).argParser(fraction),
    option(
      "--beta2 <rate>",
      `decay of AdamW's second moment${own === "" ? " (default: 0.95)" : own}`,
    ).argParser(fraction),
  ];
}

/** Adds the AdamW options. @param learningRate default of the peak, or its description */
export function withSchedule(command: Command, learningRate: number | string): Command {
  for (const option of scheduleOptions(learningRate)) command.addOption(option);
  return command;
}

/** Adds the AdamW options of a command whose recipes have their own values. */
export function withRecipeSchedule(command: Command): Command {
  for (const option of scheduleOptions(null)) command.addOption(option);
  return command;
}

/** The optimizer's options, apart from the learning rate. */
export function optimizerOf({
  maxGradientNorm,
  weightDecay,
  beta1,
  beta2,
}: OptimizerFlags): OptimizerFlags {
  return {
    ...(maxGradientNorm === undefined ? {} : { maxGradientNorm }),
    ...(weightDecay === undefined ? {} : { weightDecay }),
    ...(beta1 === undefined ? {} : { beta1 }),
    ...(beta2 === undefined ? {} : { beta2 }),
  };
}

/** The values that were given, as settings of a run. */
export function givenSchedule(flags: ScheduleFlags): ScheduleFlags {
  return Object.fromEntries(NAMES.map((name) => [name, flags[name]]));
}

/**
 * @param lastStep last step of the run, if it has one
 * @throws WaggleError `INVALID_ARGUMENT` for a cosine without an end, or one that ends during
 *   warm-up.
 */
export function learningRateOf(given: ScheduleOptions, lastStep: number): LearningRate {
  const { learningRate: peak, schedule, warmupSteps: warmUpSteps } = given;
  if (schedule === "constant") {
    return warmUpSteps === 0 ? constantRate(peak) : warmedUpRate(peak, warmUpSteps);
  }
  const totalSteps = given.scheduleSteps ?? lastStep;
  if (!Number.isFinite(totalSteps) || totalSteps <= warmUpSteps) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `the cosine schedule has ${totalSteps} steps and ends before its ${warmUpSteps} steps of warm-up; pass --schedule-steps, or fewer --warmup-steps`,
    );
  }
  return cosineRate({ rate: peak, warmUpSteps, totalSteps, floor: FLOOR * peak });
}

/**
 * The recipe with the given options in every stage, including those of models that it merges. An
 * option of the learning rate replaces the stage's whole schedule: the peak is then the given one or
 * the stage's, and what is not given is constant, without warm-up.
 *
 * @param steps - steps of every stage, if they are not the recipe's.
 * @throws WaggleError `INVALID_ARGUMENT` like `learningRateOf`.
 */
export function scheduledRecipe(recipe: Recipe, flags: ScheduleFlags, steps?: number): Recipe {
  const { learningRate, schedule = "constant", warmupSteps = 0 } = flags;
  const isGiven = [learningRate, flags.schedule, flags.warmupSteps].some(
    (value) => value !== undefined,
  );
  const scheduled = (stage: Stage): Stage => {
    const given = {
      ...flags,
      learningRate: learningRate ?? stage.settings.learningRate,
      schedule,
      warmupSteps,
    };
    // Refused here, not at the stage's first step.
    if (isGiven) learningRateOf(given, steps ?? stage.steps);
    const own = rate((lastStep) => learningRateOf(given, lastStep));
    const { merging } = stage;
    return {
      ...stage,
      schedule: isGiven ? [...stage.schedule, own] : stage.schedule,
      optimizer: { ...stage.optimizer, ...optimizerOf(flags) },
      merging:
        merging === null
          ? null
          : { ...merging, members: merging.members.map((member) => member.map(scheduled)) },
    };
  };
  return { ...recipe, stages: recipe.stages.map(scheduled) };
}
