/** One pretraining run from start or checkpoint to a model folder: files, progress, scores. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createOnnxEngine } from "@waggle/engine";
import type { EnvironmentSpec } from "@waggle/environments";
import {
  decoderConfigJson,
  initializeDecoder,
  parameterCount,
  writeSafetensors,
} from "@waggle/model";
import type { DecoderConfig } from "@waggle/model";
import { fileListDigest, hashText } from "@waggle/protocol";
import type { TensorMap } from "@waggle/protocol";
import { writeTrainingTemplate } from "../files/training-template.ts";
import { openMetricsLog } from "../metrics/metrics-log.ts";
import { createNodePolicy } from "@waggle/runtime/node";
import { trainNanoText } from "./corpus.ts";
import type { NanoText } from "./nano-text.ts";
import { evaluateHeldOut } from "./held-out.ts";
import { earlierModel } from "./earlier-model.ts";
import { modelCard } from "./model-card.ts";
import { LOSS_WEIGHTS, decoderConfig, type PretrainRecipe, recipeOf } from "./pretrain-recipe.ts";
import { pretrain } from "./pretraining-run.ts";
import { resumedPretraining, savePretraining } from "../checkpoint/pretraining-checkpoint.ts";
import type { ModelSize, PretrainingState } from "../checkpoint/pretraining-checkpoint.ts";
import type { PretrainReport } from "./pretrain-report.ts";

const MEASURE_EVERY = 100;

export type PretrainCommandOptions = {
  /** Its demonstrator makes the corpus. */
  readonly spec: EnvironmentSpec;
  /** Size of the default model. Absent = the nano model. */
  readonly size?: ModelSize | undefined;
  /** Folder of a default model of this size whose training goes on. Absent = random weights. */
  readonly from?: string | undefined;
  /** Where the environment comes from, for the model card. */
  readonly source: string;
  readonly steps: number;
  /** Peak of the learning rate. Absent = that of the recipe. */
  readonly learningRate?: number | undefined;
  /** Output folder of the model. */
  readonly out: string;
  /** Folder of the checkpoint. */
  readonly run: string;
  /** `undefined`: resume an unfinished run if there is one. */
  readonly resume?: boolean;
  readonly seed: number;
  /** Number of held-out tasks in the final evaluation. */
  readonly tasks: number;
  /** JSON file for the training curve and scores; `null` writes none. */
  readonly report: string | null;
  /** Steps between two checkpoints. */
  readonly saveEvery: number;
  /** Whether TensorBoard event files are written beside the metrics. */
  readonly tensorboard: boolean;
  readonly json: boolean;
};

/**
 * @returns the exit code: 0 = finished, 130 = stopped by a signal after its checkpoint was written
 */
export async function runPretraining(
  options: PretrainCommandOptions,
  signal: AbortSignal,
): Promise<number> {
  const { spec } = options;
  const say = (line: string) => process.stderr.write(`${line}\n`);
  const earlier = options.from === undefined ? null : await earlierModel(options.from);
  const resumed = await resumedPretraining(options.run, {
    ...options,
    ...recorded(recipeOf(options.size)),
    from: earlier?.sha256,
  });
  const { seed, size } = resumed?.state ?? options;
  if (resumed !== null)
    say(`resumed at step ${resumed.engine.step} of ${resumed.state.totalSteps}`);
  const recipe = recipeOf(size);
  const text =
    earlier?.text ??
    (await trainNanoText({
      spec,
      seed,
      count: recipe.tokenizerDemonstrations,
      vocabularySize: recipe.vocabularySize,
      contextLength: recipe.shape.contextLength,
      chatTemplate: recipe.chatTemplate,
      wordsAlone: recipe.wordsAlone,
    }));
  const config = decoderConfig(recipe, text.tokenizer.vocabularySize);
  if (earlier !== null) earlier.requireShape(config, size);
  const engine = await createOnnxEngine({
    config,
    weights: (await earlier?.weights()) ?? initializeDecoder(config, seed),
    trains: "full",
    ...(recipe.maxMicrobatchTokens !== undefined && {
      maxMicrobatchTokens: recipe.maxMicrobatchTokens,
    }),
  });
  if (resumed) await engine.load(resumed.engine);
  const { device } = engine.capabilities();
  say(`${parameterCount(config)} parameters, ${config.vocabularySize} tokens, ${device}`);

  const initial: PretrainingState = resumed?.state ?? {
    seed,
    totalSteps: options.steps,
    ...(size !== undefined && { size }),
    ...recorded(recipe),
    ...(options.learningRate !== undefined && { learningRate: options.learningRate }),
    ...(earlier !== null && { from: earlier.sha256 }),
    curve: [],
    tokens: 0,
    seconds: 0,
  };
  const metrics = await openMetricsLog(options.run, {
    tensorboard: options.tensorboard,
    from: resumed?.engine.step ?? null,
  });
  const save = async (state: PretrainingState) =>
    savePretraining(options.run, { state, engine: await engine.save() });
  const { state, step } = await pretrain(
    {
      engine,
      text,
      spec,
      // A run that goes on does not see the same demonstrations again.
      seed: earlier === null ? seed : hashText(`${seed}/${earlier.sha256}`),
      batchSize: recipe.demonstrationsPerStep,
      peakLearningRate: initial.learningRate ?? recipe.peakLearningRate,
      matrices: initial.matrices ?? "adamw",
      exerciseSteps: earlier === null ? recipe.exerciseSteps : 0,
      lossWeights: initial.lossWeights ?? LOSS_WEIGHTS,
      contextLength: config.contextLength,
      onLeftOut: (index, tokens) =>
        say(
          `demonstration ${index} is left out: it has ${tokens} tokens, and the context is ${config.contextLength}`,
        ),
      measureEvery: MEASURE_EVERY,
      saveEvery: options.saveEvery,
      signal,
      onMeasure: async (now, at) => {
        const { step: _, ...numbers } = now.curve.at(-1) ?? { step: at };
        metrics.add({ event: "step", step: at, metrics: numbers });
        await metrics.settled();
        say(progressLine(now, at));
      },
      save,
    },
    initial,
    resumed?.engine.step ?? 0,
  );
  if (step === state.totalSteps) await save(state);
  const weights = await engine.parameters();
  await engine.dispose();
  if (step < state.totalSteps) {
    say(`stopped at step ${step}; run the same command again to resume`);
    return 130;
  }
  const policy = await createNodePolicy({ config, weights, baseModel: await fileListDigest([]) });
  const scores = await evaluateHeldOut(spec, policy, text.chat, options.tasks);
  await policy.dispose();
  const report: PretrainReport = {
    ...state,
    parameters: parameterCount(config),
    vocabularySize: config.vocabularySize,
    device,
    scores,
  };
  await writeModelFolder(
    options.out,
    config,
    weights,
    text,
    modelCard(report, { environment: spec.name, source: options.source }),
  );
  if (options.report !== null) await writeJson(options.report, report);
  say(`greedy ${percent(scores.greedy.overall)}, sampled ${percent(scores.sampled.overall)}`);
  if (options.json) process.stdout.write(`${JSON.stringify(report)}\n`);
  return 0;
}

/** Only what differs from runs of earlier releases, which recorded neither. */
function recorded({
  matrices,
  lossWeights,
}: PretrainRecipe): Pick<PretrainingState, "matrices" | "lossWeights"> {
  return {
    ...(matrices === "muon" && { matrices }),
    ...(lossWeights !== undefined && { lossWeights }),
  };
}

function progressLine(
  { curve, totalSteps, tokens, seconds }: PretrainingState,
  step: number,
): string {
  const point = curve.at(-1);
  const perSecond = tokens / seconds;
  const left = ((totalSteps - step) * seconds) / step / 60;
  return [
    `step ${step}/${totalSteps}`,
    `loss ${point?.assistantLoss.toFixed(4)}`,
    `digits ${point?.digitLoss.toFixed(4)}`,
    `norm ${point?.gradientNorm.toFixed(2)}`,
    `${perSecond.toFixed(0)} tokens/s`,
    `${left.toFixed(1)} min left`,
  ].join("  ");
}

async function writeModelFolder(
  folder: string,
  config: DecoderConfig,
  weights: TensorMap,
  text: NanoText,
  card: string,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const [stopTokenId] = text.chat.stopTokenIds;
  const padTokenId = text.tokenizer.specialTokenId("<|endoftext|>");
  await writeFile(
    join(folder, "model.safetensors"),
    writeSafetensors(weights, { format: "pt" }, "F32"),
  );
  await writeJson(join(folder, "config.json"), {
    ...decoderConfigJson(config),
    eos_token_id: stopTokenId,
    pad_token_id: padTokenId,
  });
  await writeJson(join(folder, "tokenizer.json"), text.tokenizerJson);
  await writeJson(join(folder, "tokenizer_config.json"), text.tokenizerConfig);
  await writeTrainingTemplate(folder, text.tokenizerConfig);
  await writeJson(join(folder, "generation_config.json"), {
    do_sample: true,
    temperature: 1,
    eos_token_id: stopTokenId,
    pad_token_id: padTokenId,
  });
  await writeFile(join(folder, "README.md"), card);
}

async function writeJson(path: string, value: unknown): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `${JSON.stringify(value, null, 2)}\n`);
}

function percent({ rate }: { readonly rate: number }): string {
  return `${(100 * rate).toFixed(1)} %`;
}
