/** `imitate`: trains an adapter on imported conversations, in PEFT's layout. */
import { Conversation, readJsonLines, toSupervisedSample } from "@waggle/exchange";
import type { ResidentFormat } from "@waggle/model";
import type { Precision } from "@waggle/engine";
import { sha256, WaggleError } from "@waggle/protocol";
import type { Command } from "commander";
import { z } from "zod";
import type { CheckpointKind } from "../checkpoint/checkpoint.ts";
import { openResumableRun } from "../checkpoint/resumable-run.ts";
import { tensorsDigest } from "../loop/run-folder.ts";
import { settingsWithout } from "../checkpoint/run-settings.ts";
import { adapterFolderFiles, readAdapterFolder } from "../model/adapter-folder.ts";
import { openBaseModel, type OpenedModel } from "../model/base-model.ts";
import { requireStored } from "../model/frozen-base.ts";
import { openMetricsLog } from "../metrics/metrics-log.ts";
import { openEngine } from "../model/open-model.ts";
import type { Device } from "../model/device.ts";
import { positive } from "../options/option-values.ts";
import {
  learningRateOf,
  optimizerOf,
  type ScheduleOptions,
  withSchedule,
} from "../options/schedule-options.ts";
import { deviceOption } from "../options/server-options.ts";
import type { ExchangeCommandOptions } from "./commands.ts";
import { imitate, type ImitationState } from "./imitation.ts";
import { requireFree, textOf, writeOutput } from "../files/output.ts";
import { reasonsText } from "./reasons.ts";
import {
  adapterOption,
  alphaOption,
  baseOption,
  epochsOption,
  forceOption,
  jsonOption,
  memoryLimitOption,
  modelOption,
  seedOption,
  threadsOption,
  rankOption,
  mustResumeOption,
  noResumeOption,
  outOption,
  precisionOption,
  runOption,
  saveEveryOption,
  tensorboardOption,
} from "../options/shared-options.ts";

type Flags = ScheduleOptions & {
  data: string;
  out: string;
  model: string;
  device: Device;
  base: ResidentFormat;
  precision: Precision;
  threads?: number;
  memoryLimit?: number;
  epochs: number;
  batchSize: number;
  adapter?: string;
  rank: number;
  alpha?: number;
  seed: number;
  force: boolean;
  run: string;
  resume?: boolean;
  saveEvery: number;
  tensorboard: boolean;
  json: boolean;
};

const IMITATION: CheckpointKind<ImitationState> = {
  name: "imitate",
  state: z.strictObject({ lossBefore: z.number() }),
  startOver: "with --no-resume",
};

/** Options that do not change what is learned, or that are stored by content. */
const UNRELATED = [
  "data",
  "out",
  "model",
  "adapter",
  "threads",
  "memoryLimit",
  "force",
  "run",
  "resume",
  "saveEvery",
  "tensorboard",
  "json",
] as const;

export function addImitateCommand(
  program: Command,
  { signal, writeOut, writeError }: ExchangeCommandOptions,
): void {
  withSchedule(program.command("imitate"), 1e-3)
    .description("train an adapter to imitate the assistant in imported conversations")
    .requiredOption("--data <file>", "file that the import command wrote")
    .addOption(outOption("output folder of the adapter, in PEFT's layout").makeOptionMandatory())
    .addOption(modelOption())
    .addOption(deviceOption())
    .addOption(baseOption())
    .addOption(precisionOption())
    .addOption(threadsOption())
    .addOption(memoryLimitOption())
    .addOption(epochsOption("passes over the conversations", 3))
    .option("--batch-size <n>", "conversations per step", positive, 8)
    .addOption(adapterOption())
    .addOption(rankOption(16))
    .addOption(alphaOption())
    .addOption(seedOption())
    .addOption(forceOption())
    .addOption(runOption(".waggle/runs/imitate"))
    .addOption(mustResumeOption())
    .addOption(noResumeOption())
    .addOption(saveEveryOption())
    .addOption(tensorboardOption())
    .addOption(jsonOption())
    .action(async (given: Flags) => {
      await requireFree(given.out, given.force);
      const model = await openBaseModel(given.model);
      requireStored(model, given.base, given.device, given.model);
      const text = await textOf(given.data, "--data");
      const { samples, leftOut } = samplesOf(text, model);
      const begun =
        given.adapter === undefined
          ? undefined
          : await readAdapterFolder(given.adapter, model.config);
      const fresh = { rank: given.rank, alpha: given.alpha ?? 2 * given.rank, seed: given.seed };
      const start = begun?.adapter ?? fresh;
      const run = await openResumableRun(IMITATION, given.run, {
        settings: {
          ...settingsWithout(given, UNRELATED),
          data: await sha256(new TextEncoder().encode(text)),
          model: model.reference.sha256,
          adapter: begun === undefined ? null : tensorsDigest(begun.adapter.tensors),
        },
        resumes: given.resume,
      });
      const engine = await openEngine(model, given.device, start, given);
      try {
        const saved = run.found?.engines.get("policy") ?? begun?.checkpoint;
        if (saved) await engine.load(saved);
        const metrics = await openMetricsLog(given.run, {
          tensorboard: given.tensorboard,
          from: run.found?.step ?? null,
        });
        const { epochs, batchSize, seed } = given;
        const result = await imitate(engine, samples, {
          epochs,
          batchSize,
          seed,
          signal,
          learningRate: (steps) => learningRateOf(given, steps),
          optimizer: optimizerOf(given),
          keeper: {
            found: run.found,
            every: given.saveEvery,
            save: async (step, state) => {
              await metrics.settled();
              const engines = new Map([["policy", await engine.save()]]);
              await run.save({ step, engines, state, values: null });
            },
          },
          onStep: (step) => {
            const { loss, gradientNorm } = step;
            metrics.add({ event: "step", step: step.step, metrics: { loss, gradientNorm } });
            writeError(
              given.json
                ? JSON.stringify({ event: "step", ...step })
                : `step ${step.step} of ${step.steps}: loss ${loss.toFixed(4)}, gradient ${gradientNorm.toFixed(3)}`,
            );
          },
        });
        const { steps, lossAfter: loss } = result;
        metrics.add({ event: "evaluated", step: steps, metrics: { loss } });
        await metrics.settled();
        const { rank, alpha } = start;
        const adapter = { rank, alpha, tensors: await engine.parameters() };
        await writeOutput(given.out, adapterFolderFiles(adapter, model.config));
        await run.finish();
        writeOut(
          given.json
            ? JSON.stringify({ out: given.out, ...result, leftOut })
            : `${given.out}: ${result.trained} conversations in ${result.steps} steps; loss of ${result.heldOut > 0 ? `${result.heldOut} held-out ones` : "them"} ${result.lossBefore.toFixed(4)} → ${result.lossAfter.toFixed(4)}${reasonsText("left out", leftOut)}`,
        );
      } finally {
        await engine.dispose();
      }
    });
}

/** Tokens of the wanted conversations that fit the model's context. */
function samplesOf(text: string, model: OpenedModel) {
  const leftOut: { [reason: string]: number } = {};
  const samples = readJsonLines(text).flatMap(({ line, value }) => {
    const read = Conversation.safeParse(value);
    if (!read.success) {
      const [issue] = read.error.issues;
      throw new WaggleError(
        "SCHEMA_INVALID",
        `line ${line} is not a conversation written by import: ${issue?.path.join(".") ?? ""} (${issue?.message ?? ""}); import the file first`,
      );
    }
    const sample = toSupervisedSample(read.data, model.format);
    const tooLong = sample.sequence.tokenIds.length > model.config.contextLength;
    const reason = read.data.label === false ? "not-wanted" : tooLong ? "too-long" : null;
    if (reason === null) return [sample];
    leftOut[reason] = (leftOut[reason] ?? 0) + 1;
    return [];
  });
  return { samples, leftOut };
}
