/** Makes the missing runs of a study, then writes its page and its figure. Everything is in one folder. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { EnvironmentSpec } from "@waggle/environments";
import { mean } from "@waggle/evaluation";
import { WaggleError } from "@waggle/protocol";
import { intervalChart } from "../charts/interval-chart.ts";
import { openControlLog } from "../evidence/control-log.ts";
import { CONTROLS_FILE } from "../evidence/control-text.ts";
import { appendRun, readRuns } from "../trials/run-file.ts";
import { runTrial, type TrialOptions } from "../trials/run-trial.ts";
import type { TrialRun } from "../trials/trial.ts";
import { experimentOf, type Study } from "./study.ts";
import { measureText, studyPage } from "./study-page.ts";
import { compared } from "./study-results.ts";

/** Options of `runStudy`. */
export type StudyOptions = Pick<TrialOptions, "bases" | "onBase" | "signal"> & {
  /** Runs per arm. */
  readonly seeds: number;
  /** Held-out tasks of each evaluation; default: those of `experimentOf`. */
  readonly evaluationTasks?: number;
  /** Folder for runs, page and figure. Runs that are there are kept. */
  readonly output: string;
  /** Called after each run. `before` runs were finished at the start. */
  readonly onRun: (
    run: TrialRun,
    counts: { readonly finished: number; readonly before: number; readonly total: number },
  ) => void;
};

/**
 * @param spec - the environment that the study names
 * @returns all runs
 * @throws WaggleError `CONFLICT` if the folder has runs of an environment that has changed since
 */
export async function runStudy(
  study: Study,
  spec: EnvironmentSpec,
  options: StudyOptions,
): Promise<readonly TrialRun[]> {
  const { bases, output, signal, onBase, onRun } = options;
  const path = join(output, `${study.name}-runs.jsonl`);
  const done = await readRuns(path);
  requireSameSource(path, done, spec);
  const seeds = Array.from({ length: options.seeds }, (_, i) => i + 1);
  const experiment = experimentOf(study, seeds, spec);
  const { evaluationTasks = experiment.evaluationTasks } = options;
  const total = seeds.length * study.arms.length;
  const before = done.filter(({ seed }) => seeds.includes(seed)).length;
  let finished = before;
  const runs = await runTrial(
    { ...experiment, evaluationTasks },
    {
      bases,
      done,
      signal,
      kernels: "wasm",
      onBase,
      onRun: async (result) => {
        const { source } = spec;
        const run = source === undefined ? result : { ...result, environmentSource: source };
        await appendRun(path, run);
        finished += 1;
        onRun(run, { finished, before, total });
      },
    },
  );
  await report(study, runs, output);
  return runs;
}

function requireSameSource(path: string, done: readonly TrialRun[], spec: EnvironmentSpec): void {
  const other = done.find(({ environmentSource }) => environmentSource !== spec.source);
  if (other === undefined) return;
  throw new WaggleError(
    "CONFLICT",
    `${path} has runs in ${other.environmentSource ?? "a built-in environment"}, and the environment is now ${spec.source ?? "built in"}; choose another folder with --output`,
  );
}

async function report(study: Study, runs: readonly TrialRun[], folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const comparisons = compared(study, runs);
  const before = mean(runs.map(({ base }) => 100 * base));
  const columns = study.measures.map((measure) => ({
    title: measureText(measure),
    rows: comparisons
      .filter((one) => one.measure === measure)
      .map(({ arm, mean: center, error }) => ({ name: arm, mean: center, error })),
    ...(measure === "success" ? { mark: { name: "before", at: before } } : {}),
  }));
  const controls = await openControlLog(CONTROLS_FILE);
  const picture = `${study.name}.svg`;
  await writeFile(join(folder, picture), await intervalChart(study.question, columns));
  await writeFile(join(folder, `${study.name}.md`), studyPage(study, runs, picture, controls));
}
