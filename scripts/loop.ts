/**
 * `npm run loop`: the whole loop once, without a window. Progress goes to standard error; the last
 * line of standard output is one JSON object (the report).
 */
import { resolve } from "node:path";
import { Command } from "commander";
import { ensureChromium } from "./ensure-chromium.ts";
import { runLoop } from "./loop/loop.ts";
import type { LoopReport } from "./loop/report.ts";
import { stopAll } from "./stack.ts";

const program = new Command("npm run loop --")
  .description("Runs simulated visitors in Chromium against a local edge and trainer, and reports.")
  .option("--json", "print nothing but the report on standard output")
  .option("--control", "shuffle the advantages: the same budget must teach nothing")
  .option("--webgpu", "run the pages on the WebGPU adapter: 16 trajectories, one step")
  .option("--pages <count>", "pages to open", "4")
  .option("--minutes <minutes>", "how long visitors shop", "7")
  .option("--publications <count>", "stop after so many publications", "1000")
  .option("--evaluation-tasks <count>", "paired held-out tasks of the final comparison", "400")
  .option("--model <folder>", "a Hugging Face folder; default: the nano model")
  .option("--state <folder>", "state folder, emptied first")
  .parse(process.argv.slice(2), { from: "user" });

type Options = {
  json?: boolean;
  control?: boolean;
  webgpu?: boolean;
  pages: string;
  minutes: string;
  publications: string;
  evaluationTasks: string;
  model?: string;
  state?: string;
};
const options = program.opts<Options>();

const abort = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => abort.abort(new Error("stopped by the user")));
}
ensureChromium();

const began = Date.now();
const onLine = (name: string, line: string) => {
  if (line.trim() !== "")
    console.error(
      `${((Date.now() - began) / 1000).toFixed(0).padStart(5)} s  ${name.padEnd(9)} ${line}`,
    );
};

const name = options.webgpu ? "loop-webgpu" : options.control ? "loop-control" : "loop";
try {
  const report = await runLoop({
    pages: Number(options.pages),
    device: options.webgpu ? "webgpu" : "auto",
    minutes: options.webgpu ? 8 : Number(options.minutes),
    publications: options.webgpu ? Infinity : Number(options.publications),
    evaluationTasks: options.webgpu ? 0 : Number(options.evaluationTasks),
    simulate: options.webgpu ? 16 / Number(options.pages) : "forever",
    control: options.control ?? false,
    model: options.model === undefined ? undefined : resolve(options.model),
    folder: resolve(options.state ?? `.waggle/${name}`),
    // A software adapter is slow: groups may take minutes, and one step takes what there is.
    ...(options.webgpu
      ? {
          trainerArgs: [
            ...["--groups-per-step", "2", "--partial-step-seconds", "150"],
            ...["--publish-every", "1", "--evaluation-tasks", "16"],
          ],
          edgeVariables: { GROUP_SIZE: "8", GROUP_DEADLINE_SECONDS: "600" },
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
