/** Makes the missing cells of the study `live-signals`, one after another, and then writes its page. */
import { appendFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { WaggleError } from "@waggle/protocol";
import { PolicyCache } from "../../model/policy-cache.ts";
import type { BaseProgress } from "../../pretrain/base-training.ts";
import { baseRecipe, environmentBase } from "../../pretrain/environment-base.ts";
import { textOf } from "../../trials/run-file.ts";
import { liveSignalsPage } from "./live-signals-page.ts";
import { openLearnerProcess } from "./learner-process.ts";
import { runCell, type SignalRun, solvedBy, type Solved } from "./run-cell.ts";
import type { LearnerStart } from "./cell-learner.ts";
import { SIGNAL_ARMS, type SignalArm } from "./signal-arms.ts";
import type { StudySite } from "./study-site.ts";

export const LIVE_SIGNALS = {
  name: "live-signals",
  question: "Which signal of people teaches what?",
} as const;

/** A cell, and how far it is. */
export type CellProgress = Pick<SignalRun, "site" | "arm" | "isShuffled" | "seed"> & {
  readonly done: number;
  readonly requests: number;
  readonly steps: number;
};

type LiveSignalsOptions = {
  readonly sites: readonly StudySite[];
  readonly arms: readonly SignalArm[];
  readonly seeds: number;
  /** Requests of each cell. */
  readonly requests: number;
  readonly evaluationTasks: number;
  readonly bases: string;
  /** Files of a user's environment, which the learners cannot load. */
  readonly refused?: readonly string[];
  /** Folder of runs and page. Cells that are there are kept. */
  readonly output: string;
  readonly signal: AbortSignal;
  readonly onBase: (environment: string, progress: BaseProgress) => void;
  readonly onProgress: (progress: CellProgress) => void;
  readonly onRun: (
    run: SignalRun,
    counts: { readonly finished: number; readonly before: number; readonly total: number },
  ) => void;
};

/** The arms with these names, in the order of the study. @throws WaggleError `INVALID_ARGUMENT` for an unknown name. */
export function signalArms(names: readonly string[]): SignalArm[] {
  const known = SIGNAL_ARMS.map(({ name }) => name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `live-signals has no arm ${unknown}; choose among ${known.join(", ")}`,
    );
  }
  return SIGNAL_ARMS.filter(({ name }) => names.includes(name));
}

/**
 * @returns all runs of the folder with this number of requests and held-out tasks
 * @throws WaggleError `CONFLICT` if the folder has runs of an environment that has changed since
 */
export async function runLiveSignals(options: LiveSignalsOptions): Promise<readonly SignalRun[]> {
  const { sites, arms, seeds, requests, evaluationTasks, output, signal } = options;
  const path = join(output, `${LIVE_SIGNALS.name}-runs.jsonl`);
  const stored = await readSignalRuns(path);
  const runs = stored.filter(
    (run) => run.requests === requests && run.evaluationTasks === evaluationTasks,
  );
  const cells = Array.from({ length: seeds }, (_, i) => i + 1).flatMap((seed) =>
    sites.flatMap((site) =>
      arms.flatMap((arm) =>
        [false, true].map((isShuffled) => ({
          site,
          arm,
          isShuffled,
          seed,
        })),
      ),
    ),
  );
  const missing = cells.filter((cell) => !runs.some((run) => isOf(path, run, cell)));
  const before = cells.length - missing.length;
  const policies = new PolicyCache("wasm", 1);
  const bases = new Map<StudySite, Solved>();
  try {
    for (const [i, { site, arm, isShuffled, seed }] of missing.entries()) {
      signal.throwIfAborted();
      const { people, demonstrations } = site;
      const folder = join(options.bases, demonstrations.name);
      const onProgress = (progress: BaseProgress): void =>
        options.onBase(demonstrations.name, progress);
      const recipe = baseRecipe(demonstrations);
      const model = await environmentBase(demonstrations, folder, recipe, { onProgress, signal });
      const parts = {
        spec: people,
        model,
        policy: await policies.take(model),
        openLearner: (start: LearnerStart) => openLearnerProcess(folder, start, options.refused),
      };
      const base = bases.get(site) ?? (await solvedBy(parts, { evaluationTasks, signal }));
      bases.set(site, base);
      const cell = { site: people.name, arm: arm.name, isShuffled, seed };
      const run = await runCell(parts, {
        arm,
        isShuffled,
        seed,
        base,
        requests,
        evaluationTasks,
        signal,
        onProgress: ({ requests: done, steps }) =>
          options.onProgress({ ...cell, done, requests, steps }),
      });
      runs.push(run);
      await mkdir(output, { recursive: true });
      await appendFile(path, `${JSON.stringify(run)}\n`);
      options.onRun(run, { finished: before + i + 1, before, total: cells.length });
    }
  } finally {
    await policies.dispose();
  }
  await writeFile(join(output, `${LIVE_SIGNALS.name}.md`), liveSignalsPage(runs));
  return runs;
}

type Cell = {
  readonly site: StudySite;
  readonly arm: SignalArm;
  readonly isShuffled: boolean;
  readonly seed: number;
};

function isOf(path: string, run: SignalRun, { site, arm, isShuffled, seed }: Cell): boolean {
  const spec = site.people;
  if (run.site !== spec.name) return false;
  if (run.environmentSource !== spec.source) {
    throw new WaggleError(
      "CONFLICT",
      `${path} has runs in ${run.environmentSource ?? "a built-in environment"}, and ${spec.name} is now ${spec.source ?? "built in"}; choose another folder with --output`,
    );
  }
  return run.arm === arm.name && run.isShuffled === isShuffled && run.seed === seed;
}

/** The stored runs; a truncated last line is ignored. */
async function readSignalRuns(path: string): Promise<SignalRun[]> {
  const text = await textOf(path);
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  return whole
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as SignalRun);
}
