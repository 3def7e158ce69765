/** Runs the missing runs of a trial, one arm with one seed at a time. */
import { shareSolved } from "@waggle/evaluation";
import { join } from "node:path";
import type { AdaptivePolicy } from "@waggle/runtime/node";
import type { BaseModel } from "../model/base-model.ts";
import type { BaseProgress } from "../pretrain/base-training.ts";
import { baseRecipe, environmentBase } from "../pretrain/environment-base.ts";
import { evaluateHeldOut } from "../evaluation/held-out.ts";
import { openRecipeEngines } from "../loop/recipe-engines.ts";
import { runRecipe } from "../loop/recipe-run.ts";
import { PolicyCache } from "../model/policy-cache.ts";
import { distanceToBase } from "./distance.ts";
import type { Experiment, TrialArm, TrialRun } from "./trial.ts";

const SHAPE = { rank: 8, alpha: 16 };
const THREADS = 1;

/** Options of running a trial. */
export type TrialOptions = {
  /** Folder of the environments' base models; missing ones are made. */
  readonly bases: string;
  readonly done: readonly TrialRun[];
  readonly onRun: (run: TrialRun) => Promise<void>;
  /** Called while the base of an environment is made, which takes a minute or two, once. */
  readonly onBase: (environment: string, progress: BaseProgress) => void;
  readonly signal: AbortSignal;
  /**
   * The onnxruntime for sampling: native, or WASM, which is faster for small models; default
   * native.
   */
  readonly kernels?: "native" | "wasm";
};

/** Runs what is missing and returns all runs. */
export async function runTrial(
  trial: Experiment,
  { bases, done, onRun, onBase, signal, kernels = "native" }: TrialOptions,
): Promise<readonly TrialRun[]> {
  const runs = [...done];
  const policies = new PolicyCache(kernels, THREADS);
  try {
    // Seed by seed, so that an interrupted trial has complete seeds.
    for (const seed of trial.seeds) {
      for (const arm of trial.arms) {
        signal.throwIfAborted();
        if (runs.some((run) => run.arm === arm.name && run.seed === seed)) continue;
        const { spec } = arm;
        const folder = join(bases, spec.name);
        const onProgress = (progress: BaseProgress): void => onBase(spec.name, progress);
        const model = await environmentBase(spec, folder, baseRecipe(spec), { onProgress, signal });
        const policy = await policies.take(model);
        const run = await runArm(trial, arm, { seed, model, policy, signal });
        runs.push(run);
        await onRun(run);
      }
    }
    return runs;
  } finally {
    await policies.dispose();
  }
}

type ArmParts = {
  readonly seed: number;
  readonly model: BaseModel;
  readonly policy: AdaptivePolicy;
  readonly signal: AbortSignal;
};

async function runArm(
  { probes, evaluationTasks, budget, measuresKl = false }: Experiment,
  { name, recipe, spec, shares }: TrialArm,
  { seed, model, policy, signal }: ArmParts,
): Promise<TrialRun> {
  const { format } = model;
  const resources = { threads: THREADS };
  const engines = await openRecipeEngines(recipe, model, "cpu", { ...SHAPE, seed }, resources);
  const tried = async (): Promise<{ [probe: string]: number }> => {
    const rates: { [probe: string]: number } = {};
    for (const probe of probes) {
      const parts = { policy, format, spec: probe.spec, signal };
      rates[probe.name] = shareSolved((await evaluateHeldOut(parts, evaluationTasks)).successes);
    }
    return rates;
  };
  try {
    const before = await tried();
    const { base, final, spent } = await runRecipe(
      recipe,
      { ...engines, policy, format, spec, adapterShape: SHAPE },
      { seed, evaluationTasks, evaluateEvery: 0, budget, shares },
      () => {},
      signal,
    );
    // The policy still has the adapter of the last evaluation.
    const after = await tried();
    const kl = measuresKl
      ? await distanceToBase({ policy, format, spec, signal }, evaluationTasks)
      : undefined;
    return {
      arm: name,
      seed,
      base: shareSolved(base.successes),
      final: shareSolved(final.successes),
      probes: Object.fromEntries(
        probes.map((probe) => [
          probe.name,
          { base: before[probe.name] ?? 0, final: after[probe.name] ?? 0 },
        ]),
      ),
      toolCalls: final.toolCallsMean,
      ...(kl === undefined ? {} : { kl }),
      sampledTokens: spent.sampledTokens,
      seconds: Math.round(spent.seconds * 10) / 10,
    };
  } finally {
    await engines.dispose();
  }
}
