/** `study live-signals`: its options, and what it prints. */
import { join, resolve } from "node:path";
import { findEnvironment } from "@waggle/environments";
import { modulesOf, siteConfigIn } from "@waggle/site/node";
import { environmentFrom } from "../../extensions/environment-module.ts";
import { moduleSource, resolvedFile } from "../../extensions/module-source.ts";
import { baseText } from "../../pretrain/base-training.ts";
import { type CellProgress, LIVE_SIGNALS, runLiveSignals, signalArms } from "./live-signals.ts";
import { PARCELS } from "./parcels.ts";
import { REPAIRS } from "./repairs.ts";
import type { SignalRun } from "./run-cell.ts";
import { SIGNAL_ARMS } from "./signal-arms.ts";
import { signalGains } from "./signal-gains.ts";
import type { StudySite } from "./study-site.ts";

/** The sites without `--env`. */
const SITES: readonly StudySite[] = [PARCELS, REPAIRS];
const REQUESTS = { whole: 3000, sample: 256 };
const HELD_OUT = { whole: 400, sample: 60 };
/** Where `--sample` writes, so that it leaves the study's own runs alone. */
const SAMPLE_FOLDER = ".waggle/study-sample";
/** Requests between two lines of progress. */
const PROGRESS_EVERY = 500;

type LiveSignalsFlags = {
  readonly env?: string;
  readonly seeds: number;
  readonly arms?: readonly string[];
  readonly sample: boolean;
  readonly bases: string;
  readonly output: string;
  readonly json: boolean;
};

type Writers = {
  readonly signal: AbortSignal;
  readonly writeOut: (line: string) => void;
  readonly writeError: (line: string) => void;
};

/** Runs the missing cells and writes their page. */
export async function liveSignalsCommand(
  { env, seeds, arms, sample, bases, output: folder, json }: LiveSignalsFlags,
  { signal, writeOut, writeError }: Writers,
): Promise<void> {
  const size = sample ? "sample" : "whole";
  const output = sample ? SAMPLE_FOLDER : folder;
  const sites = env === undefined ? SITES : [await ownSite(env)];
  const startedAt = performance.now();
  const runs = await runLiveSignals({
    sites,
    arms: arms === undefined ? SIGNAL_ARMS : signalArms(arms),
    seeds: sample ? 1 : seeds,
    requests: REQUESTS[size],
    evaluationTasks: HELD_OUT[size],
    bases,
    refused: env === undefined ? [] : modulesOfEnvironment(env),
    output,
    signal,
    onBase: (environment, progress) => {
      if (json) writeOut(JSON.stringify({ event: "base", environment, ...progress }));
      else writeError(baseText(environment, progress));
    },
    onProgress: (progress) => {
      if (progress.done % PROGRESS_EVERY >= 32) return;
      if (json) writeOut(JSON.stringify({ event: "progress", ...progress }));
      else writeError(progressText(progress));
    },
    onRun: (run, { finished, before, total }) => {
      const pace = (performance.now() - startedAt) / 60_000 / (finished - before);
      const left = Math.ceil(pace * (total - finished));
      if (json) writeOut(JSON.stringify({ event: "run", ...run }));
      else writeError(`${finished}/${total}  ${left} min left  ${runText(run)}`);
    },
  });
  const gains = signalGains(runs);
  if (json) writeOut(JSON.stringify({ study: LIVE_SIGNALS.name, gains }));
  else writeOut(join(output, `${LIVE_SIGNALS.name}.md`));
}

/** The files of a user's environment; none of a built-in one. */
function modulesOfEnvironment(source: string): readonly string[] {
  if (findEnvironment(source) !== undefined) return [];
  const { module } = moduleSource(source);
  return modulesOf(siteConfigIn(resolve(module)) ?? resolvedFile("--env", module));
}

/** An environment whose base has demonstrations of it. */
async function ownSite(source: string): Promise<StudySite> {
  const people = await environmentFrom(source);
  return { people, demonstrations: people };
}

/** Help for `study live-signals --help`. */
export function liveSignalsHelp(): string[] {
  return [
    `${LIVE_SIGNALS.name}: ${LIVE_SIGNALS.question}`,
    `\nArms, each with ${REQUESTS.whole} requests of simulated people in ${SITES.map(({ people }) => people.name).join(" and in ")}, and each with a control:`,
    ...SIGNAL_ARMS.map(({ name, gives, recipe, settings }) => {
      const own = Object.entries(settings ?? {}).map(([setting, value]) => `, ${setting} ${value}`);
      return `  ${name}: ${gives.join(", ")} (${recipe}${own.join("")})`;
    }),
  ];
}

function cellText({ site, arm, isShuffled, seed }: CellProgress | SignalRun): string {
  return `${site}, ${arm}${isShuffled ? " shuffled" : ""}, seed ${seed}`;
}

function progressText(progress: CellProgress): string {
  const { done, requests, steps } = progress;
  return `  ${cellText(progress)}: ${done} of ${requests} requests, ${steps} steps`;
}

function runText(run: SignalRun): string {
  const rates = `${(100 * run.base).toFixed(1)} → ${(100 * run.final).toFixed(1)} %`;
  return `${cellText(run)}  ${rates}  ${run.answered} answered  ${run.steps} steps  ${run.seconds} s`;
}
