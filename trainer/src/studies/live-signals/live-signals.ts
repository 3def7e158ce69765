/** Makes the missing cells of the study `live-signals`, one after another, and then writes its page. */
import { appendFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { EnvironmentSpec } from "@waggle/environments";
import { WaggleError } from "@waggle/protocol";
import { PolicyCache } from "../../model/policy-cache.ts";
import type { BaseProgress } from "../../pretrain/base-training.ts";
import { baseRecipe, environmentBase } from "../../pretrain/environment-base.ts";
import { textOf } from "../../trials/run-file.ts";
import { liveSignalsPage } from "./live-signals-page.ts";
import { runCell, type SignalRun } from "./run-cell.ts";
import { SIGNAL_ARMS, type SignalArm } from "./signal-arms.ts";

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
  readonly sites: readonly EnvironmentSpec[];
  readonly arms: readonly SignalArm[];
  readonly seeds: number;
  /** Requests of each cell. */
  readonly requests: number;
  readonly evaluationTasks: number;
  readonly bases: string;
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
    sites.flatMap((spec) =>
      arms.flatMap((arm) => [false, true].map((isShuffled) => ({ spec, arm, isShuffled, seed }))),
    ),
  );
  const missing = cells.filter((cell) => !runs.some((run) => isOf(path, run, cell)));
  const before = cells.length - missing.length;
  const policies = new PolicyCache("wasm", 1);
  try {
    for (const [i, { spec, arm, isShuffled, seed }] of missing.entries()) {
      signal.throwIfAborted();
      const folder = join(options.bases, spec.name);
      const onProgress = (progress: BaseProgress): void => options.onBase(spec.name, progress);
      const model = await environmentBase(spec, folder, baseRecipe(spec), { onProgress, signal });
      const policy = await policies.take(model);
      const cell = { site: spec.name, arm: arm.name, isShuffled, seed };
      const run = await runCell(
        { spec, model, policy },
        {
          arm,
          isShuffled,
          seed,
          requests,
          evaluationTasks,
          signal,
          onProgress: ({ requests: done, steps }) =>
            options.onProgress({ ...cell, done, requests, steps }),
        },
      );
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
  readonly spec: EnvironmentSpec;
  readonly arm: SignalArm;
  readonly isShuffled: boolean;
  readonly seed: number;
};

function isOf(path: string, run: SignalRun, { spec, arm, isShuffled, seed }: Cell): boolean {
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
