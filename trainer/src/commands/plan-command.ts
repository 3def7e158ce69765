/**
 * `plan`: estimates the memory that training a model needs, and whether it fits, from its
 * config.json alone.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type Checkpointing,
  checkMemory,
  type MemoryPlan,
  planMemory,
  type Precision,
  requireTrainable,
} from "@waggle/engine";
import { parameterCount, parseDecoderConfig, type ResidentFormat } from "@waggle/model";
import { WaggleError } from "@waggle/protocol";
import { type Command, Option } from "commander";
import { positive, whole } from "../options/option-values.ts";
import { samplerBytes } from "../model/sampler-memory.ts";
import { NANO_MODEL } from "../model/shipped-models.ts";
import {
  baseOption,
  jsonOption,
  memoryLimitOption,
  modelFolderOption,
  precisionOption,
  rankOption,
} from "../options/shared-options.ts";

type PlanOptions = {
  model: string;
  trains: "lora" | "full";
  rank: number;
  valueHeads: number;
  models: number;
  sequences: number;
  length: number;
  base: ResidentFormat;
  precision: Precision;
  checkpointing: Checkpointing;
  sampler: boolean;
  memoryLimit?: number;
  json: boolean;
};

export function addPlanCommand(
  program: Command,
  { writeOut }: { readonly writeOut: (line: string) => void },
): void {
  program
    .command("plan")
    .description("estimate the memory that training needs, without loading the model")
    .addOption(
      modelFolderOption("folder with the model's config.json").default(
        NANO_MODEL,
        "the nano model",
      ),
    )
    .addOption(
      new Option("--trains <what>", "an adapter (lora) or all weights (full)")
        .choices(["lora", "full"])
        .default("lora"),
    )
    .addOption(rankOption(16))
    .option("--value-heads <n>", "value heads per model", whole, 0)
    .option("--models <n>", "number of adapters that share the base model", positive, 1)
    .option("--sequences <n>", "sequences per step", positive, 8)
    .option("--length <n>", "tokens per sequence", positive, 512)
    .addOption(baseOption())
    .addOption(precisionOption())
    .addOption(
      new Option(
        "--checkpointing <how>",
        "layer: recompute activations per layer; none: keep them all",
      )
        .choices(["layer", "none"])
        .default("layer"),
    )
    .option(
      "--sampler",
      "include the sampler that runs beside training, as in train and simulate",
      false,
    )
    .addOption(memoryLimitOption("check whether training fits, and fail if it does not"))
    .addOption(jsonOption())
    .action(async ({ model, json, models, memoryLimit, sampler, ...given }: PlanOptions) => {
      const text = await configOf(model);
      const { rank, valueHeads } = given;
      const otherModels = Array.from({ length: models - 1 }, () => ({ rank, valueHeads }));
      const config = parseDecoderConfig(JSON.parse(text));
      requireTrainable(config);
      const training = planMemory({ ...given, otherModels, config });
      const plan = sampler ? withSampler(training) : training;
      const { totalBytes, parts } = plan;
      const fits = memoryLimit === undefined ? {} : { fits: totalBytes <= memoryLimit };
      if (json) {
        writeOut(JSON.stringify({ totalBytes, parts, ...fits }));
      } else {
        for (const line of lines(model, plan)) writeOut(line);
      }
      if (memoryLimit === undefined) return;
      checkMemory(plan, memoryLimit, {
        checkpointing: true,
        maxMicrobatchTokens: false,
        sequences: true,
      });
      if (!json) writeOut(`fits into ${memoryLimit / 1e6} MB`);
    });
}

/** A memory plan that includes a sampler. */
type SampledPlan = Omit<MemoryPlan, "parts"> & {
  readonly parts: MemoryPlan["parts"] & { readonly sampler?: number };
};

function withSampler(plan: MemoryPlan): SampledPlan {
  const sampler = samplerBytes(plan.options.config, plan.options.base);
  return {
    ...plan,
    parts: { ...plan.parts, sampler },
    totalBytes: plan.totalBytes + sampler,
  };
}

async function configOf(folder: string): Promise<string> {
  try {
    return await readFile(join(folder, "config.json"), "utf8");
  } catch (cause) {
    throw new WaggleError(
      "NOT_FOUND",
      `${folder.slice(0, 200)} has no config.json; pass a Hugging Face model folder`,
      { cause },
    );
  }
}

/** Descriptions of the parts. */
const PARTS: { readonly [name in keyof Required<SampledPlan["parts"]>]: string } = {
  base: "stored weights",
  effective: "matrices in the precision of products, and their gradients",
  trained: "trained parameters, their gradients and two moments",
  activations: "activations of one pass",
  head: "logits of one pass",
  runtime: "Node and ONNX Runtime",
  sampler: "float32 graphs of the sampler, while one is opened",
};

function lines(folder: string, { parts, totalBytes, microbatch, options }: SampledPlan): string[] {
  const { config, trains, rank, valueHeads = 0, otherModels = [], base, precision } = options;
  const { sequences, length, checkpointing } = options;
  const adapters = 1 + otherModels.length;
  const heads = valueHeads === 0 ? "" : ` and ${counted(valueHeads, "value head")}`;
  const trained =
    trains === "full"
      ? `all weights${heads}`
      : `${counted(adapters, "adapter")} of rank ${rank}${heads}${adapters > 1 ? " each" : ""}`;
  const kept = checkpointing === "layer" ? "are recomputed layer by layer" : "are all kept";
  const row = (name: string, bytes: number, what: string): string =>
    `${name.padEnd(13)}${(bytes / 1e6).toFixed(0).padStart(7)} MB  ${what}`.trimEnd();
  return [
    `model        ${folder}: ${config.modelType}, ${(parameterCount(config) / 1e6).toFixed(2)} M parameters, ${counted(config.layers, "layer")} of width ${config.width}`,
    `trains       ${trained}; base in ${base}, products in ${precision}; activations ${kept}`,
    `step         ${counted(sequences, "sequence")} of ${length} tokens, ${microbatch.sequences} of ${microbatch.length} in a pass`,
    "",
    ...Object.entries(parts).map(([name, bytes]) =>
      row(name, bytes, PARTS[name as keyof typeof PARTS]),
    ),
    row("total", totalBytes, ""),
  ];
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
