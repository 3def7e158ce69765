/** The options of `loop`, and the run that they describe. */
import { resolve } from "node:path";
import { type LoopOptions, type Site, stateFolder } from "@waggle/dev";
import { WaggleError } from "@waggle/protocol";
import {
  aboveZero,
  DEFAULT_EDGE_RECIPE,
  edgeRecipeNamed,
  existingModel,
  positive,
  whole,
  wholeIn,
} from "@waggle/trainer";
import { type Command, InvalidArgumentError, Option } from "commander";
import { edgeRecipe } from "./recipe-option.ts";

/** Parsed values of `withLoopOptions`. */
export type LoopFlags = {
  readonly json?: boolean;
  readonly control?: boolean;
  readonly webgpu?: boolean;
  readonly live?: boolean;
  readonly answering?: number;
  readonly wrong?: number;
  readonly seed?: number;
  readonly recipe?: string;
  readonly pages: number;
  readonly minutes: number;
  readonly publications: number;
  readonly evaluationTasks: number;
  readonly model?: string;
  readonly state?: string;
};

/** How people of `--live` answer, without further options. */
const ANSWERING = 0.5;
const WRONG = 0.15;
/** The recipe of `--live`, without `--recipe`. */
const LIVE_RECIPE = "thumbs-reinforce";
/** Requests are groups of one. A step takes as many rollouts as one of practice, which takes eight groups of eight. */
const LIVE_GROUPS_PER_STEP = 64;

/** A number from 0 to 1. */
function share(text: string): number {
  const value = Number(text);
  if (text.trim() !== "" && value >= 0 && value <= 1) return value;
  throw new InvalidArgumentError("It must be a number from 0 to 1.");
}

/** Gives the command its options. */
export function withLoopOptions(command: Command): Command {
  return command
    .option("--json", "print only the report, as one line of JSON")
    .option("--control", "shuffle the advantages; such a run must not improve the policy")
    .option("--webgpu", "run the pages on WebGPU; stops after 16 trajectories and one step")
    .addOption(
      new Option(
        "--live",
        "simulated people type requests and give thumbs, and the trainer learns from the thumbs; the pages are always the practice page of the site",
      ).conflicts("webgpu"),
    )
    .option(
      "--answering <share>",
      `with --live: share of people that give a thumb if half of the answers are right; unhappy people do so twice as often (default: ${ANSWERING})`,
      share,
    )
    .option(
      "--wrong <share>",
      `with --live: share of wrong thumbs; at 0.5 they carry no information (default: ${WRONG})`,
      share,
    )
    .option("--seed <n>", "with --live: other people for each number (default: 0)", whole)
    .option(
      "--recipe <name>",
      `recipe that the trainer uses (default: the site's, or ${DEFAULT_EDGE_RECIPE}; with --live ${LIVE_RECIPE})`,
      edgeRecipe,
    )
    .option("--pages <count>", "number of pages", wholeIn(1, 64), 4)
    .option("--minutes <minutes>", "minutes that visitors do tasks", aboveZero, 12)
    .option("--publications <count>", "stop after this many published versions", positive, 1000)
    .option("--evaluation-tasks <count>", "held-out tasks in the final comparison", whole, 400)
    .option(
      "--model <folder>",
      "Hugging Face model folder, or default or nano (default: the site's own or its base model, made once)",
      existingModel,
    )
    .option("--state <folder>", "state folder; emptied first");
}

/** The model that the user chose, as an absolute path. */
export function modelOf({ model }: Pick<LoopFlags, "model">): string | undefined {
  return model === undefined ? undefined : resolve(model);
}

/** The run, without what it prints. @throws WaggleError `INVALID_ARGUMENT` for options of `--live` without it. */
export function loopOptions(
  given: LoopFlags,
  site: Site,
): Omit<LoopOptions, "onLine" | "signal"> & { readonly trainerArgs: readonly string[] } {
  const { webgpu = false, live = false, control = false } = given;
  const recipe = given.recipe ?? (live ? LIVE_RECIPE : undefined);
  if (!live && [given.answering, given.wrong, given.seed].some((value) => value !== undefined)) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      "error: --answering, --wrong and --seed are about the people of --live; add --live",
    );
  }
  if (live && recipe !== undefined && edgeRecipeNamed(recipe).feedback?.thumb === undefined) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `error: recipe ${recipe} does not learn from thumbs, and people of --live give nothing else; use ${LIVE_RECIPE}`,
    );
  }
  const kinds = ["loop", webgpu && "webgpu", live && "live", control && !webgpu && "control"];
  const kind = kinds.filter((part) => part !== false).join("-");
  const trainerArgs = [
    ...(recipe === undefined ? [] : ["--recipe", recipe]),
    ...(live ? ["--groups-per-step", String(LIVE_GROUPS_PER_STEP)] : []),
    ...(webgpu ? ON_WEBGPU.trainerArgs : []),
  ];
  return {
    pages: given.pages,
    device: webgpu ? "webgpu" : "auto",
    minutes: webgpu ? 8 : given.minutes,
    publications: webgpu ? Infinity : given.publications,
    evaluationTasks: webgpu ? 0 : given.evaluationTasks,
    simulate: webgpu ? 16 / given.pages : "forever",
    live: live
      ? {
          signal: "thumb",
          answering: given.answering ?? ANSWERING,
          wrong: given.wrong ?? WRONG,
          seed: given.seed ?? 0,
        }
      : undefined,
    control,
    site: recipe === undefined ? site : withoutRecipeSettings(site),
    model: modelOf(given),
    folder: given.state === undefined ? stateFolder(site, kind) : resolve(given.state),
    trainerArgs,
    edgeVariables: {
      ...(live ? { FEEDBACK_WAIT_SECONDS: "1" } : {}),
      ...(webgpu ? ON_WEBGPU.edgeVariables : {}),
    },
  };
}

/** The site, without the settings of its own recipe. */
function withoutRecipeSettings(site: Site): Site {
  const { trainerArguments: all } = site;
  if (all === undefined) return site;
  const trainerArguments = all.filter((arg, i) => arg !== "--set" && all[i - 1] !== "--set");
  return { ...site, trainerArguments };
}

/** A software adapter is slow: groups may take minutes, and one step takes the trajectories that are ready. */
const ON_WEBGPU = {
  trainerArgs: [
    "--groups-per-step",
    "2",
    "--partial-step-seconds",
    "150",
    "--publish-every",
    "1",
    "--evaluation-tasks",
    "16",
  ],
  edgeVariables: { GROUP_SIZE: "8", GROUP_DEADLINE_SECONDS: "600", GATE_MIN_TASKS: "16" },
};
