/**
 * `npm run loop`: runs the whole loop once, headless. Progress goes to standard error. The last line of standard
 * output is the report as one JSON object.
 */
import { resolve } from "node:path";
import { createCommand } from "../trainer/src/commands/command-line.ts";
import {
  aboveZero,
  existingModel,
  positive,
  whole,
  wholeIn,
} from "../trainer/src/options/option-values.ts";
import { ensureChromium } from "./ensure-chromium.ts";
import { runLoop } from "./loop/loop.ts";
import { siteOf, siteOption } from "./site-option.ts";
import type { LoopReport } from "./loop/report.ts";
import { stopAll } from "./stack.ts";
import { onStopRequest } from "./stop-request.ts";

const program = createCommand("npm run loop --")
  .description(
    "run the whole loop once: simulated visitors in Chromium, a local edge and a trainer",
  )
  .addOption(siteOption())
  .option("--json", "print only the report, as one line of JSON")
  .option("--control", "shuffle the advantages; such a run must not improve the policy")
  .option("--webgpu", "run the pages on WebGPU; stops after 16 trajectories and one step")
  .option("--pages <count>", "number of pages", wholeIn(1, 64), 4)
  .option("--minutes <minutes>", "minutes that visitors do tasks", aboveZero, 7)
  .option("--publications <count>", "stop after this many published versions", positive, 1000)
  .option("--evaluation-tasks <count>", "held-out tasks in the final comparison", whole, 400)
  .option(
    "--model <folder>",
    "Hugging Face model folder (default: the site's base model, made once, or the shop's nano model)",
    existingModel,
  )
  .option("--state <folder>", "state folder; emptied first")
  .parse();

type Options = {
  site?: string;
  json?: boolean;
  control?: boolean;
  webgpu?: boolean;
  pages: number;
  minutes: number;
  publications: number;
  evaluationTasks: number;
  model?: string;
  state?: string;
};
const options = program.opts<Options>();
const site = await siteOf(options.site, program);

const abort = new AbortController();
onStopRequest((reason) => abort.abort(new Error(reason)));
ensureChromium();

const began = Date.now();
const onLine = (name: string, line: string) => {
  if (line.trim() !== "")
    console.error(
      `${((Date.now() - began) / 1000).toFixed(0).padStart(5)} s  ${name.padEnd(9)} ${line}`,
    );
};

const kind = options.webgpu ? "loop-webgpu" : options.control ? "loop-control" : "loop";
const name = site === undefined ? kind : `${kind}-${site.name}`;
try {
  const report = await runLoop({
    pages: options.pages,
    device: options.webgpu ? "webgpu" : "auto",
    minutes: options.webgpu ? 8 : options.minutes,
    publications: options.webgpu ? Infinity : options.publications,
    evaluationTasks: options.webgpu ? 0 : options.evaluationTasks,
    simulate: options.webgpu ? 16 / options.pages : "forever",
    control: options.control ?? false,
    site,
    model: options.model === undefined ? undefined : resolve(options.model),
    folder: resolve(options.state ?? `.waggle/${name}`),
    // A software adapter is slow: groups may take minutes, and one step takes the trajectories that are ready.
    ...(options.webgpu
      ? {
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
        }
      : {}),
    onLine,
    signal: abort.signal,
  });
  if (!options.json) printTable(report);
  console.log(JSON.stringify(report));
} catch (error) {
  await stopAll();
  const reason = abort.signal.aborted ? abort.signal.reason : error;
  console.error(reason instanceof Error ? reason.message : String(reason));
  process.exitCode = 1;
}

function printTable(report: LoopReport): void {
  const percent = (value: number | null) =>
    value === null ? "–" : `${(value * 100).toFixed(1)} %`;
  const { success, uploads, pages } = report;
  console.log(
    `held-out success  ${percent(success.base)} → ${percent(success.final)} over ${success.tasks} paired tasks`,
  );
  if (success.unseenPatterns !== null) {
    const { base, final, tasks } = success.unseenPatterns;
    console.log(
      `unseen patterns   ${percent(base)} → ${percent(final)} over ${tasks} of these tasks`,
    );
  }
  console.log(`policies          ${report.published} published, ${report.promoted} promoted`);
  console.log(
    `trajectories      ${uploads.accepted} accepted, ${uploads.learned} learned, ${uploads.skipped} without signal, ${uploads.rejected} rejected, ${uploads.lost} lost, ${uploads.twice} twice`,
  );
  const { tokens, tokensPerSecond } = report.training;
  console.log(`training          ${tokens} tokens, ${tokensPerSecond ?? "–"} a second`);
  console.log(
    `pages             ${pages.onNewest} of ${pages.open} on the newest version, ${pages.reloads} reloads, ${report.backend}`,
  );
  console.log(`time              ${report.minutes.toFixed(1)} min`);
}
