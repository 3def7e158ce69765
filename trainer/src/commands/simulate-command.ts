/** `simulate`: trains in an environment without an edge, on rollouts in this process. */
import { pairedDifference, successRate } from "@waggle/evaluation";
import { WaggleError } from "@waggle/protocol";
import type { Command } from "commander";
import { z } from "zod";
import type { CheckpointKind } from "../checkpoint/checkpoint.ts";
import { openResumableRun } from "../checkpoint/resumable-run.ts";
import { settingsWithout } from "../checkpoint/run-settings.ts";
import { environmentFrom } from "../extensions/environment-module.ts";
import { LOG_PROB_BAND } from "../check/trajectory-check.ts";
import {
  type SavedSimulation,
  simulate,
  type SimulationEvent,
  type SimulationProgress,
} from "../loop/simulation.ts";
import { openMetricsLog } from "../metrics/metrics-log.ts";
import { heldAs, modelUnder } from "../model/frozen-base.ts";
import { grammarsOf } from "../model/model-grammars.ts";
import { openEngine, openPolicy } from "../model/open-model.ts";
import { type LearningOptions, recipeOf, withLearning } from "../options/learning-options.ts";
import { positive } from "../options/option-values.ts";
import { serverOf } from "../options/server-options.ts";
import { environmentOption } from "../options/environment-option.ts";
import {
  evaluateEveryOption,
  mustResumeOption,
  noResumeOption,
  runOption,
  saveEveryOption,
  stepsOption,
  tensorboardOption,
} from "../options/shared-options.ts";
import { listedRecipes } from "../recipes/edge-recipe-list.ts";
import { requireEngine } from "../recipes/required-engine.ts";
import { requireTurnTokens } from "../rollouts/turn-limit.ts";
import type { ProgramOptions } from "../options/program-options.ts";

type SimulateOptions = LearningOptions & {
  env?: string;
  steps: number;
  groupSize: number;
  evaluateEvery: number;
  run: string;
  resume?: boolean;
  saveEvery: number;
  tensorboard: boolean;
};

const SIMULATION: CheckpointKind<SimulationProgress, SavedSimulation["values"]> = {
  name: "simulate",
  state: z.strictObject({
    version: z.int().min(0),
    tasksDrawn: z.int().min(0),
    base: z.array(z.boolean()),
    final: z.array(z.boolean()),
  }),
  startOver: "with --no-resume",
};

/** Options that do not change what is learned, or that are stored by content. */
const UNRELATED = [
  "env",
  "model",
  "run",
  "resume",
  "saveEvery",
  "tensorboard",
  "json",
  "list",
  "threads",
  "memoryLimit",
] as const;

export function addSimulateCommand(
  program: Command,
  { signal, writeOut, writeError, environment }: ProgramOptions,
): void {
  withLearning(program.command("simulate"))
    .description("train without an edge, with rollouts in this process")
    .addOption(environmentOption())
    .addOption(stepsOption("learning steps").default(30))
    .option("--group-size <n>", "rollouts per task", positive, 8)
    .addOption(runOption(".waggle/runs/simulate"))
    .addOption(mustResumeOption())
    .addOption(noResumeOption())
    .addOption(saveEveryOption())
    .addOption(tensorboardOption())
    .addOption(evaluateEveryOption())
    .action(async (given: SimulateOptions) => {
      if (given.list) {
        for (const line of listedRecipes(given.json)) writeOut(line);
        return;
      }
      if (given.env === undefined) {
        throw new WaggleError(
          "INVALID_ARGUMENT",
          "simulate needs an environment; name it with --env, such as --env form or --env ./my-site.ts",
        );
      }
      const recipe = recipeOf(given, given.steps);
      const spec = await environmentFrom(given.env);
      const model = await modelUnder(given.base, given.device, given.model);
      const adapterShape = { rank: given.rank, alpha: given.alpha ?? 2 * given.rank };
      const start = { ...adapterShape, seed: given.seed };
      const run = await openResumableRun(SIMULATION, given.run, {
        settings: {
          ...settingsWithout(given, UNRELATED),
          environment: spec.name,
          environmentSource: spec.source,
          model: model.reference.sha256,
        },
        resumes: given.resume,
      });
      const server = serverOf(given, environment);
      const engine = await openEngine(model, given.device, start, given, server);
      const policy = await openPolicy(heldAs(model, given.base), given.threads);
      const metrics = await openMetricsLog(given.run, {
        tensorboard: given.tensorboard,
        from: run.found?.step ?? null,
      });
      try {
        const saved = run.found?.engines.get("policy");
        if (saved !== undefined) await engine.load(saved);
        requireTurnTokens(given.turnTokens, policy.contextLength);
        requireEngine(recipe, engine.capabilities());
        // An engine that cannot learn under a mask gets rollouts without one.
        const canMask = engine.capabilities().sequences.includes("keptTokenIds");
        const constrainToolCalls = given.constrainToolCalls && canMask;
        const { base, final } = await simulate(
          engine,
          recipe,
          {
            policy,
            format: model.format,
            sampling: recipe.stage.settings.sampling,
            turnTokens: given.turnTokens,
            constrainToolCalls,
            grammars: grammarsOf(model, policy.vocabularySize),
            environments: [spec],
          },
          (seed) => ({ environment: spec.name, seed, split: "train" }),
          {
            steps: given.steps,
            groupSize: given.groupSize,
            publishEvery: given.publishEvery,
            evaluateEvery: given.evaluateEvery,
            tasks: {
              environment: spec.name,
              start: 0,
              count: given.evaluationTasks,
              seed: given.seed,
              turnTokens: given.turnTokens,
              constrainToolCalls,
            },
            seed: given.seed,
            shuffleAdvantages: given.shuffleAdvantages,
            adapterShape,
            band: LOG_PROB_BAND.max,
            microbatchTokens: given.microbatchTokens,
            keeper: {
              found: run.found,
              every: given.saveEvery,
              save: async (simulation) => {
                await metrics.settled();
                const engines = new Map([["policy", await engine.save()]]);
                await run.save({ ...simulation, engines });
              },
            },
          },
          (event) => {
            metrics.add({ event: event.event, step: event.step, metrics: numbersOf(event) });
            writeError(given.json ? JSON.stringify(event) : simulationLine(event));
          },
          signal,
        );
        await metrics.settled();
        await run.finish();
        const { difference, interval, pValue } = pairedDifference(base, final);
        const [before, after] = [successRate(base).rate, successRate(final).rate];
        writeOut(JSON.stringify({ base: before, final: after, difference, interval, pValue }));
      } finally {
        await engine.dispose();
        await policy.dispose();
      }
    });
}

function simulationLine(event: SimulationEvent): string {
  if (event.event === "evaluated") {
    const rate = (event.successes / event.tasks).toFixed(3);
    return `step ${event.step}: held-out success ${rate} (${event.successes} of ${event.tasks}), ${event.minutes.toFixed(1)} min`;
  }
  // A server engine reports no entropy.
  const show = (name: string, digits: number): string =>
    event.metrics[name]?.toFixed(digits) ?? "unknown";
  return `step ${event.step}: rolled out ${show("rolledOut", 0)} reward ${show("rolledOutReward", 3)}, learned ${show("trajectories", 0)}, gradient ${show("gradientNorm", 3)}, entropy ${show("entropy", 3)}, drift ${show("policyDriftMean", 4)}, ${show("seconds", 1)} s`;
}

function numbersOf(event: SimulationEvent): { readonly [name: string]: number } {
  if (event.event === "step") return event.metrics;
  return { success: event.successes / event.tasks };
}
