/** The options of `loop --live`: simulated people who type requests, and what the trainer learns from. */
import type { LoopOptions } from "@waggle/dev";
import { WaggleError } from "@waggle/protocol";
import { edgeRecipeNamed, whole } from "@waggle/trainer";
import { type Command, InvalidArgumentError, Option } from "commander";

type Signal = NonNullable<LoopOptions["live"]>["signal"];

/** Parsed values of `withLiveOptions`. */
export type LiveFlags = {
  readonly live?: boolean;
  readonly signal?: Signal;
  readonly answering?: number;
  readonly wrong?: number;
  readonly seed?: number;
};

/** The recipe for each signal, without `--recipe`. */
export const LIVE_RECIPES: { readonly [signal in Signal]: string } = {
  thumb: "thumbs-reinforce",
  outcome: "outcomes-reinforce",
  message: "messages-reinforce",
};

/** How people answer, without further options. */
const ANSWERING = 0.5;
const WRONG = 0.15;
/** Requests of a step. Each is a group of one. */
const GROUPS_PER_STEP = 16;
/** A candidate serves people until they have decided about it, so it should differ enough to be told apart. */
const STEPS_PER_CANDIDATE = 12;
/** As in the study of signals. */
const LEARNING_RATE = 0.003;

/** The metric that the site's backend reports. With messages it decides about versions and teaches nothing. */
const metricsOf = (signal: Signal): object => ({
  solved: { type: "boolean", better: "higher", ...(signal === "message" ? { weight: 0 } : {}) },
});

/** A number from 0 to 1. */
function share(text: string): number {
  const value = Number(text);
  if (text.trim() !== "" && value >= 0 && value <= 1) return value;
  throw new InvalidArgumentError("It must be a number from 0 to 1.");
}

/** Gives the command these options. */
export function withLiveOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        "--live",
        "simulated people type requests and rate the answers; the trainer learns from the ratings alone and cannot load the environment, and people of a release decide about new versions",
      ).conflicts("webgpu"),
    )
    .addOption(
      new Option(
        "--signal <kind>",
        "with --live: how people rate: by a thumb, an outcome that the site's backend reports, or their next message (default: thumb)",
      ).choices(Object.keys(LIVE_RECIPES)),
    )
    .option(
      "--answering <share>",
      `with --live: share of people that rate an answer, if half of the answers are right; unhappy people rate twice as often (default: ${ANSWERING})`,
      share,
    )
    .option(
      "--wrong <share>",
      `with --live: share of ratings that are the opposite of what the person thinks; at 0.5, ratings carry no information (default: ${WRONG})`,
      share,
    )
    .option("--seed <n>", "with --live: random seed of the people (default: 0)", whole);
}

/** What a live run needs; `null` without `--live`. @throws WaggleError `INVALID_ARGUMENT` for options that do not fit. */
export function liveRun(given: LiveFlags & { readonly recipe?: string }): {
  readonly recipe: string;
  readonly people: NonNullable<LoopOptions["live"]>;
  readonly trainerArgs: readonly string[];
  readonly edgeVariables: { readonly [name: string]: string };
} | null {
  const { live = false, signal = "thumb", answering, wrong, seed } = given;
  if (!live) {
    const others = [given.signal, answering, wrong, seed];
    if (others.every((value) => value === undefined)) return null;
    throw new WaggleError(
      "INVALID_ARGUMENT",
      "error: --signal, --answering, --wrong and --seed are about the people of --live; add --live",
    );
  }
  const recipe = given.recipe ?? LIVE_RECIPES[signal];
  if (edgeRecipeNamed(recipe).feedback?.[signal] === undefined) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `error: recipe ${recipe} does not learn from the signal "${signal}", and people of this run give nothing else; use ${LIVE_RECIPES[signal]}`,
    );
  }
  return {
    recipe,
    people: { signal, answering: answering ?? ANSWERING, wrong: wrong ?? WRONG, seed: seed ?? 0 },
    trainerArgs: [
      "--groups-per-step",
      String(GROUPS_PER_STEP),
      "--publish-every",
      String(STEPS_PER_CANDIDATE),
      "--learning-rate",
      String(LEARNING_RATE),
    ],
    edgeVariables: {
      FEEDBACK_WAIT_SECONDS: "1",
      FEEDBACK_FROM: Object.keys(edgeRecipeNamed(recipe).feedback ?? {}).join(","),
      METRICS: JSON.stringify(metricsOf(signal)),
    },
  };
}
