/**
 * `loop`: runs the whole loop once, headless. Progress goes to standard error. The last line of standard output is the
 * report as one JSON object.
 */
import { resolve } from "node:path";
import { type LoopOptions, type LoopReport, runLoop, stateFolder, stopSignal } from "@waggle/dev";
import {
  aboveZero,
  existingModel,
  positive,
  type ProgramOptions,
  whole,
  wholeIn,
} from "@waggle/trainer";
import type { Command } from "commander";
import { loopWarning } from "./loop-warning.ts";
import { type DefaultSite, siteOf, withSite } from "./site-option.ts";

type Flags = {
  readonly site?: string;
  readonly json?: boolean;
  readonly control?: boolean;
  readonly webgpu?: boolean;
  readonly pages: number;
  readonly minutes: number;
  readonly publications: number;
  readonly evaluationTasks: number;
  readonly model?: string;
  readonly state?: string;
};

/** Options of `addLoopCommand`. */
export type LoopCommandOptions = Pick<ProgramOptions, "writeOut" | "writeError"> & {
  readonly defaultSite?: DefaultSite | undefined;
};

/** Adds the command. */
export function addLoopCommand(program: Command, options: LoopCommandOptions): void {
  const { defaultSite, writeOut } = options;
  withSite(program.command("loop"), defaultSite)
    .description(
      "run the whole loop once: simulated visitors in Chromium, a local edge and a trainer",
    )
    .option("--json", "print only the report, as one line of JSON")
    .option("--control", "shuffle the advantages; such a run must not improve the policy")
    .option("--webgpu", "run the pages on WebGPU; stops after 16 trajectories and one step")
    .option("--pages <count>", "number of pages", wholeIn(1, 64), 4)
    .option("--minutes <minutes>", "minutes that visitors do tasks", aboveZero, 12)
    .option("--publications <count>", "stop after this many published versions", positive, 1000)
    .option("--evaluation-tasks <count>", "held-out tasks in the final comparison", whole, 400)
    .option(
      "--model <folder>",
      "Hugging Face model folder, or default or nano (default: the site's own or its base model, made once)",
      existingModel,
    )
    .option("--state <folder>", "state folder; emptied first")
    .action(async (_: string | undefined, given: Flags) => {
      const report = await runLoop(await loopOptions(given, options));
      if (!given.json) for (const line of table(report)) writeOut(line);
      writeOut(JSON.stringify(report));
      const warning = loopWarning(report);
      if (warning !== null) options.writeError(warning);
    });
}

async function loopOptions(
  given: Flags,
  { defaultSite, writeError }: LoopCommandOptions,
): Promise<LoopOptions> {
  const model = given.model === undefined ? undefined : resolve(given.model);
  const site = await siteOf(given.site, defaultSite, model);
  const kind = given.webgpu ? "loop-webgpu" : given.control ? "loop-control" : "loop";
  const began = Date.now();
  return {
    pages: given.pages,
    device: given.webgpu ? "webgpu" : "auto",
    minutes: given.webgpu ? 8 : given.minutes,
    publications: given.webgpu ? Infinity : given.publications,
    evaluationTasks: given.webgpu ? 0 : given.evaluationTasks,
    simulate: given.webgpu ? 16 / given.pages : "forever",
    control: given.control ?? false,
    site,
    model,
    folder: given.state === undefined ? stateFolder(site, kind) : resolve(given.state),
    ...(given.webgpu ? ON_WEBGPU : {}),
    onLine: (name, line) => {
      if (line.trim() === "") return;
      const seconds = ((Date.now() - began) / 1000).toFixed(0).padStart(5);
      writeError(`${seconds} s  ${name.padEnd(9)} ${line}`);
    },
    signal: stopSignal(),
  };
}

/** A software adapter is slow: groups may take minutes, and one step takes the trajectories that are ready. */
const ON_WEBGPU: Pick<LoopOptions, "trainerArgs" | "edgeVariables"> = {
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

function table({ success, uploads, pages, training, ...report }: LoopReport): string[] {
  const percent = (value: number | null) =>
    value === null ? "–" : `${(value * 100).toFixed(1)} %`;
  const unseen = success.unseenPatterns;
  const { accepted, learned, skipped, rejected, lost, twice } = uploads;
  return [
    `held-out success  ${percent(success.base)} → ${percent(success.final)} over ${success.tasks} paired tasks`,
    ...(unseen === null
      ? []
      : [
          `unseen patterns   ${percent(unseen.base)} → ${percent(unseen.final)} over ${unseen.tasks} of these tasks`,
        ]),
    `policies          ${report.published} published, ${report.promoted} promoted`,
    `trajectories      ${accepted} accepted, ${learned} learned, ${skipped} taught nothing, ${rejected} rejected, ${lost} lost, ${twice} twice`,
    `training          ${training.tokens} tokens, ${training.tokensPerSecond ?? "–"} a second`,
    `pages             ${pages.onNewest} of ${pages.open} on the newest version, ${pages.reloads} reloads, ${report.backend}`,
    `time              ${report.minutes.toFixed(1)} min`,
  ];
}
