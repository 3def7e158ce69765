/**
 * `train`: trains any recipe in any environment in this process, or lists the literature's recipes.
 * Defines options and output; other modules do the work.
 */
import { join } from "node:path";
import { pairedDifference, shareSolved } from "@waggle/evaluation";
import type { Settings } from "@waggle/learning";
import type { ResidentFormat } from "@waggle/model";
import type { Precision } from "@waggle/engine";
import type { Command } from "commander";
import type { Device } from "../model/device.ts";
import { modelUnder } from "../model/frozen-base.ts";
import { deviceOption } from "../options/server-options.ts";
import {
  type AdapterFlags,
  adaptersOf,
  addAdapterOptions,
  requireOut,
  saveAdapters,
} from "../options/adapter-options.ts";
import { baseText } from "../pretrain/base-training.ts";
import { baseRecipe, environmentBase } from "../pretrain/environment-base.ts";
import {
  addSamplerOptions,
  checkedSampler,
  openSampler,
  sampledRecipe,
  type SamplerFlags,
} from "../options/sampler-options.ts";
import {
  addTaskOptions,
  requireRoom,
  type TaskFlags,
  trainingTasks,
} from "../options/task-options.ts";
import { recipeFrom } from "../extensions/recipe-module.ts";
import { environmentWarning, requireEnvironment } from "../recipes/environment-requirements.ts";
import {
  addOverlapOptions,
  overlapOf,
  type OverlapFlags,
  requireAsync,
} from "../options/overlap-options.ts";
import {
  givenSchedule,
  type ScheduleFlags,
  scheduledRecipe,
  withRecipeSchedule,
} from "../options/schedule-options.ts";
import type { HeldOut } from "../evaluation/held-out.ts";
import { openMetricsLog } from "../metrics/metrics-log.ts";
import { needsWorldModel } from "../rollouts/world-model-need.ts";
import { runRecipe } from "../loop/recipe-run.ts";
import type { RunEvent } from "../metrics/run-event.ts";
import { listedLiterature, listedRecipe } from "../recipes/literature-list.ts";
import { openRecipeEngines } from "../loop/recipe-engines.ts";
import { openRunFolder, tensorsDigest } from "../loop/run-folder.ts";
import {
  addWriterOptions,
  saveText,
  type WriterFlags,
  writerPorts,
} from "../options/writer-options.ts";
import {
  alphaOption,
  baseOption,
  basesOption,
  evaluateEveryOption,
  jsonOption,
  listOption,
  memoryLimitOption,
  microbatchTokensOption,
  noResumeOption,
  precisionOption,
  runOption,
  saveEveryOption,
  seedOption,
  settingOption,
  threadsOption,
  rankOption,
  recipeOption,
  stepsOption,
  tasksOption,
  tensorboardOption,
} from "../options/shared-options.ts";

export type LearnCommandOptions = {
  readonly environment: { readonly [name: string]: string | undefined };
  readonly signal: AbortSignal;
  readonly writeOut: (line: string) => void;
  readonly writeError: (line: string) => void;
};

type Flags = OverlapFlags &
  ScheduleFlags &
  AdapterFlags &
  WriterFlags &
  SamplerFlags &
  TaskFlags & {
    recipe: string;
    list: boolean;
    set: Settings;
    steps?: number;
    seed: number;
    tasks: number;
    evaluateEvery: number;
    bases: string;
    rank: number;
    alpha?: number;
    microbatchTokens?: number;
    device: Device;
    base: ResidentFormat;
    precision: Precision;
    threads?: number;
    memoryLimit?: number;
    run?: string;
    resume: boolean;
    saveEvery: number;
    tensorboard: boolean;
    json: boolean;
  };

/** Adds `train`. */
export function addLearnCommand(
  program: Command,
  { signal, writeOut, writeError, environment }: LearnCommandOptions,
): void {
  const tasks = addOverlapOptions(addTaskOptions(program.command("train")));
  addSamplerOptions(addAdapterOptions(addWriterOptions(withRecipeSchedule(tasks))))
    .description(
      "train a published recipe locally in an environment or on your prompts; see --list",
    )
    .addOption(
      recipeOption(
        "recipe from --list, or a file or package that exports one, such as ./my-recipe.ts or my-package#name",
        "artist",
      ),
    )
    .addOption(
      listOption(
        "list all published recipes and whether they can run here; with --recipe, show its paper, settings and parts",
      ),
    )
    .addOption(settingOption())
    .addOption(stepsOption("optimizer steps per stage (default: the recipe's)"))
    .addOption(seedOption())
    .addOption(tasksOption(200))
    .addOption(evaluateEveryOption())
    .addOption(basesOption())
    .addOption(rankOption(8))
    .addOption(alphaOption())
    .addOption(microbatchTokensOption())
    .addOption(deviceOption())
    .addOption(baseOption())
    .addOption(precisionOption())
    .addOption(threadsOption())
    .addOption(memoryLimitOption())
    .addOption(runOption())
    .addOption(noResumeOption())
    .addOption(saveEveryOption())
    .addOption(tensorboardOption())
    .addOption(jsonOption())
    .action(async (given: Flags, command: Command) => {
      const isChosen = (option: string): boolean => command.getOptionValueSource(option) === "cli";
      if (given.list) {
        const isOne = isChosen("recipe");
        const lines = isOne
          ? listedRecipe((await recipeFrom(given.recipe))(given.set), given.json)
          : listedLiterature(given.json);
        for (const line of lines) writeOut(line);
        return;
      }
      requireAsync(command);
      const create = await recipeFrom(given.recipe);
      const recipe = scheduledRecipe(sampledRecipe(create(given.set), given), given, given.steps);
      const { spec, unrewarded, settings: taskSettings } = await trainingTasks(recipe, given);
      const ports = writerPorts(recipe, given, environment);
      await requireEnvironment(recipe, spec);
      await requireOut(given, recipe);
      const say = (event: object, message: string): void => {
        if (given.json) writeOut(JSON.stringify(event));
        else writeError(message);
      };
      const warning = environmentWarning(recipe, spec);
      if (warning !== null) say({ event: "warning", message: warning }, `warning: ${warning}`);
      const folder = given.model ?? join(given.bases, spec.name);
      const model =
        given.model === undefined
          ? await environmentBase(unrewarded, folder, baseRecipe(unrewarded), {
              onProgress: (progress) =>
                say({ event: "base", ...progress }, baseText(spec.name, progress)),
              signal,
              saveEvery: isChosen("saveEvery") ? given.saveEvery : undefined,
              tensorboard: given.tensorboard,
            })
          : await modelUnder(given.base, given.device, given.model);
      const { start, teacher } = await adaptersOf(given, model.config);
      const { rank, alpha } = start ?? { rank: given.rank, alpha: given.alpha ?? 2 * given.rank };
      const adapterShape = { rank, alpha };
      const runFolder = await openRunFolder({
        folder: given.run,
        settings: {
          recipe: recipe.name,
          environment: spec.name,
          settings: recipe.settings,
          seed: given.seed,
          steps: given.steps,
          tasks: given.tasks,
          ...taskSettings,
          evaluateEvery: given.evaluateEvery,
          overlap: overlapOf(given),
          samplerCap: given.sampler === undefined ? undefined : given.samplerCap,
          adapterShape,
          ...givenSchedule(given),
          microbatchTokens: given.microbatchTokens,
          device: given.device,
          base: given.base,
          precision: given.precision,
          model: model.reference.sha256,
          adapter: start === null ? null : tensorsDigest(start.tensors),
          teacher: teacher === null ? null : tensorsDigest(teacher.tensors),
        },
        defaults: create().settings,
        resumes: given.resume,
        tensorboard: given.tensorboard,
        every: given.saveEvery,
        isStopping: () => signal.aborted,
      });
      const { keeper } = runFolder;
      if (keeper.found !== null) {
        const { stagesDone, stepsDone } = keeper.found;
        const message = `resuming the run in ${runFolder.path}, after ${stagesDone} stages and ${stepsDone} steps of the next`;
        say({ event: "resumed", folder: runFolder.path, stagesDone, stepsDone }, message);
      }
      const onStop = (): void =>
        say({ event: "stopping" }, "stopping after this step; press Ctrl-C again to stop at once");
      signal.addEventListener("abort", onStop, { once: true });
      const engines = await openRecipeEngines(
        recipe,
        model,
        given.device,
        { ...adapterShape, seed: given.seed },
        { ...given, start, teacher },
      );
      const policy = await openSampler(recipe, model, given, runFolder.path, environment);
      try {
        // The world model is fitted again when a run goes on, so its log starts over.
        const fit = needsWorldModel(recipe)
          ? await openMetricsLog(join(runFolder.path, "world-model"), {
              tensorboard: given.tensorboard,
              from: null,
            })
          : null;
        requireRoom(spec, model.format, policy.contextLength);
        if (given.sampler !== undefined) {
          const { agreement, message } = await checkedSampler(
            policy,
            engines.engine,
            adapterShape,
            {
              spec,
              format: model.format,
            },
          );
          say({ event: "sampler", server: given.sampler, ...agreement }, message);
        }
        const { base, final, spent, state } = await runRecipe(
          recipe,
          {
            ...engines,
            policy,
            format: model.format,
            spec,
            adapterShape,
            ports,
            start: start?.tensors,
          },
          {
            ...given,
            base: undefined,
            evaluationTasks: given.tasks,
            overlap: overlapOf(given),
            keeper,
            onFitStep: (step, metrics) => fit?.add({ event: "step", step, metrics }),
          },
          (event) => {
            runFolder.note(event);
            say(event, wordsOf(event));
          },
          // Without --async, a step that has started is finished.
          given.async ? signal : new AbortController().signal,
        );
        await fit?.settled();
        await runFolder.finish();
        await saveText(given, state);
        await saveAdapters(given, engines, adapterShape, model.config);
        if (given.out !== undefined) {
          const message = `the adapter is in ${given.out}, over the base in ${folder}`;
          say({ event: "saved", folder: given.out, base: folder }, message);
        }
        const { difference, pValue } = pairedDifference(base.successes, final.successes);
        const result = {
          recipe: recipe.name,
          environment: spec.name,
          seed: given.seed,
          base: rateOf(base),
          final: rateOf(final),
          difference,
          pValue,
          toolCalls: final.toolCallsMean,
          settings: recipe.settings,
          spent,
        };
        writeOut(
          given.json
            ? JSON.stringify(result)
            : `${recipe.name} in ${spec.name}: ${percent(result.base)} → ${percent(result.final)} of ${given.tasks} held-out tasks (p = ${pValue.toPrecision(2)}), ${spent.sampledTokens} tokens sampled, ${spent.toolCalls} tool calls, ${spent.seconds.toFixed(0)} s`,
        );
      } catch (error) {
        if (!signal.aborted) throw error;
        const message = `stopped; the run is saved in ${runFolder.path}: run the same command again to resume`;
        say({ event: "stopped", folder: runFolder.path }, message);
        signal.throwIfAborted();
      } finally {
        signal.removeEventListener("abort", onStop);
        await engines.dispose();
        await policy.dispose();
      }
    });
}

function wordsOf(event: RunEvent): string {
  if (event.event === "evaluated") {
    return `${event.stage} ${event.step}  held out ${percent(rateOf(event.heldOut))}  ${event.heldOut.toolCallsMean.toFixed(2)} calls`;
  }
  const {
    successRate = 0,
    loss = 0,
    gradientNorm = 0,
    toolCallsMean = 0,
    lagMean,
    tooOld,
  } = event.metrics;
  const staleness = lagMean === undefined ? "" : `  lag ${lagMean.toFixed(2)}  too old ${tooOld}`;
  return `${event.stage} ${event.step}/${event.steps}  success ${percent(successRate)}  calls ${toolCallsMean.toFixed(2)}  loss ${fixed(loss)}  norm ${gradientNorm.toFixed(3)}${staleness}  ${event.spent.seconds.toFixed(0)} s`;
}

function rateOf({ successes }: HeldOut): number {
  return shareSolved(successes);
}

/** Four decimals, without a sign for a loss near 0. */
function fixed(loss: number): string {
  return Number(loss.toFixed(4)).toFixed(4);
}

function percent(rate: number): string {
  return `${(100 * rate).toFixed(1)} %`;
}
