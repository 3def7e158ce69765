/**
 * Runs arms one after the other, each from its environment's own base, and logs the results. Arms
 * in the log are not run again. A failed arm is logged, and the others continue. Draws no charts.
 */
import { createHash } from "node:crypto";
import type { EnvironmentSpec } from "@waggle/environments";
import { mean } from "@waggle/evaluation";
import { type Recipe, recipeNamed } from "@waggle/learning";
import type { TrainEngine } from "@waggle/protocol";
import type { AdaptivePolicy } from "@waggle/runtime/node";
import { type BaseModel } from "../model/base-model.ts";
import { openRecipeEngines, swapStrategy } from "../loop/recipe-engines.ts";
import { runRecipe } from "../loop/recipe-run.ts";
import { PASS_DRAWS } from "../evaluation/pass-draws.ts";
import { PolicyCache } from "../model/policy-cache.ts";
import {
  type Arm,
  armKey,
  type CurvePoint,
  type FailedRun,
  type Outcome,
  type RunRecord,
  successOf,
} from "./arm.ts";
import { isSameRun } from "./coincidence.ts";
import { type BasesByEnvironment, evidenceBase } from "./evidence-base.ts";
import type { RunLog } from "./run-log.ts";

/** Options of a table of runs. */
export type RunArmsOptions = {
  /** Folder of the environments' base models. */
  readonly bases: string;
  /** How bases differ from the default, by environment. */
  readonly baseChanges: BasesByEnvironment;
  /** CPU threads of the training graphs; sampling uses one. */
  readonly threads: number;
  /** Keys of the runs whose pass@8 is measured too. */
  readonly measuresPass: ReadonlySet<string>;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: ArmProgress) => void;
};

/** Progress events. */
export type ArmProgress =
  | {
      readonly event: "base";
      readonly environment: string;
      readonly step: number;
      readonly steps: number;
    }
  | {
      readonly event: "control";
      readonly environment: string;
      readonly seed: number;
      /** Share solved at the best temperature. */
      readonly best: number;
      readonly temperature: number;
    }
  | {
      readonly event: "run";
      readonly key: string;
      /** Finished runs among those requested, including those in the log. */
      readonly done: number;
      readonly runs: number;
      /**
       * Recipes whose run with this seed is the same: the mechanism in which they differ was
       * inactive.
       */
      readonly sameAs: readonly string[];
      /** Estimated time until all runs have finished. */
      readonly secondsLeft: number;
      readonly record: RunRecord | FailedRun;
    };

const ADAPTER = { rank: 8, alpha: 16 };
/** Evaluations during a stage, the last one at its end. */
const EVALUATIONS = 1;
/** At which trained policies are evaluated besides temperature 1; bases are evaluated at more. */
const TRAINED_TEMPERATURES: readonly number[] = [0, 0.5];

/**
 * @returns a record for each finished arm, in the order of the arms
 * @throws WaggleError `INVALID_ARGUMENT` for an unknown environment; the signal's reason.
 */
export async function runArms(
  arms: readonly Arm[],
  log: RunLog,
  options: RunArmsOptions,
): Promise<readonly RunRecord[]> {
  const missing = arms.filter((arm) => !log.records.has(armKey(arm)));
  const startedAt = performance.now();
  const policies = new PolicyCache("wasm");
  try {
    for (const [at, arm] of missing.entries()) {
      options.signal.throwIfAborted();
      const record = await runOrFailure(arm, log, policies, options);
      await log.append(record);
      const pace = (performance.now() - startedAt) / 1000 / (at + 1);
      options.onProgress({
        event: "run",
        key: record.key,
        done: arms.length - missing.length + at + 1,
        runs: arms.length,
        sameAs: sameAs(record, log),
        secondsLeft: pace * (missing.length - at - 1),
        record,
      });
    }
  } finally {
    await policies.dispose();
  }
  return arms.flatMap((arm) => log.records.get(armKey(arm)) ?? []);
}

function sameAs(record: RunRecord | FailedRun, log: RunLog): string[] {
  if ("error" in record) return [];
  return [...log.records.values()].filter((one) => isSameRun(one, record)).map((one) => one.recipe);
}

async function runOrFailure(
  arm: Arm,
  log: RunLog,
  policies: PolicyCache,
  options: RunArmsOptions,
): Promise<RunRecord | FailedRun> {
  const { environment } = arm;
  const { spec, model } = await evidenceBase(environment, {
    folder: options.bases,
    changes: options.baseChanges,
    onProgress: ({ step, steps }) =>
      options.onProgress({ event: "base", environment, step, steps }),
    signal: options.signal,
  });
  try {
    const policy = await policies.take(model, swapStrategy(recipeNamed(arm.recipe)(arm.settings)));
    return await runArm(arm, spec, { model, policy }, baseOf(arm, model, log), options);
  } catch (error) {
    options.signal.throwIfAborted();
    const message = error instanceof Error ? error.message : String(error);
    return { ...arm, key: armKey(arm), error: message.slice(0, 300) };
  }
}

/** The base on these held-out tasks, if another run evaluated it already. */
function baseOf(arm: Arm, { reference }: BaseModel, log: RunLog): Outcome | undefined {
  for (const record of log.records.values()) {
    if (
      record.environment === arm.environment &&
      record.seed === arm.seed &&
      record.evaluationTasks === arm.evaluationTasks &&
      record.baseModel === reference.sha256
    ) {
      return record.base;
    }
  }
  return undefined;
}

async function runArm(
  arm: Arm,
  spec: EnvironmentSpec,
  { model, policy }: { readonly model: BaseModel; readonly policy: AdaptivePolicy },
  base: Outcome | undefined,
  { threads, measuresPass, signal }: RunArmsOptions,
): Promise<RunRecord> {
  const recipe: Recipe = recipeNamed(arm.recipe)(arm.settings);
  const cpuBefore = process.cpuUsage();
  const engines = await openRecipeEngines(
    recipe,
    model,
    "cpu",
    { ...ADAPTER, seed: arm.seed },
    { threads },
  );
  try {
    const curve: CurvePoint[] = [];
    let [sampledTokens, toolCalls] = [0, 0];
    const clipped: number[] = [];
    const truncated: number[] = [];
    const {
      base: before,
      final,
      byTemperature,
      passAtK,
      spent,
    } = await runRecipe(
      recipe,
      { ...engines, policy, format: model.format, spec, adapterShape: ADAPTER },
      {
        seed: arm.seed,
        evaluationTasks: arm.evaluationTasks,
        evaluationSeed: arm.seed,
        // The final evaluation is at temperature 1.
        temperatures: TRAINED_TEMPERATURES,
        passDraws: measuresPass.has(armKey(arm)) ? PASS_DRAWS : undefined,
        evaluateEvery: Math.ceil(longest(recipe) / EVALUATIONS),
        base,
        budget: arm.budget,
      },
      (event) => {
        if (event.event === "step") {
          ({ sampledTokens, toolCalls } = event.spent);
          const { clipFraction, importanceWeightTruncated } = event.metrics;
          if (clipFraction !== undefined) clipped.push(clipFraction);
          if (importanceWeightTruncated !== undefined) truncated.push(importanceWeightTruncated);
        } else curve.push({ sampledTokens, toolCalls, success: successOf(event.heldOut) });
      },
      signal,
    );
    if (base !== undefined)
      curve.unshift({ sampledTokens: 0, toolCalls: 0, success: successOf(base) });
    const cpu = process.cpuUsage(cpuBefore);
    return {
      ...arm,
      key: armKey(arm),
      baseModel: model.reference.sha256,
      endedAt: new Date().toISOString(),
      base: before,
      final,
      ...(byTemperature.size === 0
        ? {}
        : { byTemperature: new Map([...byTemperature, [1, final.successes]]) }),
      ...(passAtK === null ? {} : { passAt8: passAtK }),
      parameters: await parametersHash(engines.engine),
      ...(clipped.length === 0 ? {} : { clipFraction: mean(clipped) }),
      ...(truncated.length === 0 ? {} : { truncatedFraction: mean(truncated) }),
      curve,
      spent: { ...spent, cpuSeconds: (cpu.user + cpu.system) / 1e6 },
    };
  } finally {
    await engines.dispose();
  }
}

/** Hex sha256 over the tensors, sorted by name. */
async function parametersHash(engine: TrainEngine): Promise<string> {
  const hash = createHash("sha256");
  const tensors = await engine.parameters();
  for (const [name, { data }] of [...tensors].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    hash.update(`${name}\n`);
    hash.update(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  }
  return hash.digest("hex");
}

function longest({ stages }: Recipe): number {
  return Math.max(1, ...stages.map(({ steps }) => steps));
}
