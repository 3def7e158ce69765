/** The options of `loop`, and the run that they describe. */
import { resolve } from "node:path";
import { type LoopOptions, type Site, stateFolder } from "@waggle/dev";
import { WaggleError } from "@waggle/protocol";
import {
  aboveZero,
  DEFAULT_EDGE_RECIPE,
  existingModel,
  positive,
  whole,
  wholeIn,
} from "@waggle/trainer";
import type { Command } from "commander";
import { LIVE_RECIPES, type LiveFlags, liveRun, withLiveOptions } from "./live-options.ts";
import { edgeRecipe } from "./recipe-option.ts";

/** Parsed values of `withLoopOptions`. */
export type LoopFlags = LiveFlags & {
  readonly json?: boolean;
  readonly control?: boolean;
  readonly webgpu?: boolean;
  readonly recipe?: string;
  readonly pages: number;
  readonly minutes?: number;
  readonly publications: number;
  readonly evaluationTasks: number;
  readonly model?: string;
  readonly state?: string;
};

const MINUTES = 12;
/** With --live, each version also waits until people have decided about it. */
const LIVE_MINUTES = 14;

/** Gives the command its options. */
export function withLoopOptions(command: Command): Command {
  return withLiveOptions(command)
    .option("--json", "print only the report, as one line of JSON")
    .option("--control", "shuffle the advantages; such a run must not improve the policy")
    .option("--webgpu", "run the pages on WebGPU; stops after 16 trajectories and one step")
    .option(
      "--recipe <name>",
      `recipe that the trainer uses (default: the site's, or ${DEFAULT_EDGE_RECIPE}; with --live ${LIVE_RECIPES.thumb}, or that of --signal)`,
      edgeRecipe,
    )
    .option("--pages <count>", "number of pages", wholeIn(1, 64), 4)
    .option(
      "--minutes <minutes>",
      `minutes that visitors do tasks, from when the pages are open; bases, waiting evaluations and the final comparison take more (default: ${MINUTES}, or ${LIVE_MINUTES} with --live)`,
      aboveZero,
    )
    .option("--publications <count>", "stop after this many published versions", positive, 1000)
    .option(
      "--evaluation-tasks <count>",
      "held-out tasks in the final comparison, which both versions play at three temperatures",
      whole,
      400,
    )
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

/** The run, without what it prints. @throws WaggleError `INVALID_ARGUMENT` for options that do not fit each other or the site. */
export function loopOptions(
  given: LoopFlags,
  site: Site,
): Omit<LoopOptions, "onLine" | "signal"> & { readonly trainerArgs: readonly string[] } {
  const { webgpu = false, live = false, control = false } = given;
  const people = liveRun(given);
  const recipe = given.recipe ?? people?.recipe;
  if (site.settings.collect === "rewards" && (live || webgpu)) {
    const [option, why] = live
      ? ["--live", "people's requests and ratings stay in their pages"]
      : ["--webgpu", "its 16 rollouts are too few for a step"];
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `error: the site collects rewards only (consent.collect), so ${why}; leave out ${option}`,
    );
  }
  const kinds = ["loop", webgpu && "webgpu", live && "live", control && !webgpu && "control"];
  const kind = kinds.filter((part) => part !== false).join("-");
  const trainerArgs = [
    ...(recipe === undefined ? [] : ["--recipe", recipe]),
    ...(people?.trainerArgs ?? []),
    ...(webgpu ? ON_WEBGPU.trainerArgs : []),
  ];
  return {
    pages: given.pages,
    device: webgpu ? "webgpu" : "auto",
    minutes: webgpu ? 8 : (given.minutes ?? (live ? LIVE_MINUTES : MINUTES)),
    publications: webgpu ? Infinity : given.publications,
    evaluationTasks: webgpu ? 0 : given.evaluationTasks,
    simulate: webgpu ? 16 / given.pages : "forever",
    live: people?.people,
    control,
    site: recipe === undefined ? site : withRecipe(site, recipe),
    model: modelOf(given),
    folder: given.state === undefined ? stateFolder(site, kind) : resolve(given.state),
    trainerArgs,
    edgeVariables: {
      ...people?.edgeVariables,
      ...(webgpu ? ON_WEBGPU.edgeVariables : {}),
    },
  };
}

/** The site with this recipe. It keeps the recipe settings of its config only if its config names the same recipe. */
function withRecipe(site: Site, recipe: string): Site {
  const { trainerArguments: all } = site;
  if (all === undefined || all[all.indexOf("--recipe") + 1] === recipe) return site;
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
  edgeVariables: {
    GROUP_SIZE: "8",
    GROUP_DEADLINE_SECONDS: "600",
    GATE_MIN_TASKS: "16",
    GATE_PROBE_TASKS: "16",
  },
};
