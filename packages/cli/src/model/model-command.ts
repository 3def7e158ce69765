/** `model`: checks, converts and measures a real model, and serves it to a site's pages. Run it again to continue. */
import { totalmem } from "node:os";
import { stat } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { parseStoredFormat, type WeightFormat } from "@waggle/model";
import {
  convertModel,
  type ConvertedModel,
  type ConvertProgress,
  openModelFolder,
} from "@waggle/runtime/node";
import { jsonOption, type ProgramOptions } from "@waggle/trainer";
import { WaggleError } from "@waggle/protocol";
import { type Command, Option } from "commander";
import { runSite } from "../dev-command.ts";
import { ProgressWriter } from "../progress.ts";
import { siteOf } from "../site-option.ts";
import { type ChatCheck, checkChat } from "./chat-check.ts";
import {
  checkModel,
  type Fit,
  type ModelCheck,
  PAGE_FORMATS,
  type PageFormat,
} from "./model-check.ts";
import { type MeasuredMemory, measureModel, type ModelSpeed } from "./model-speed.ts";
import { nameOf, readConfig, readTextFiles, sourceOf } from "./model-description.ts";

type Flags = {
  readonly dtype?: PageFormat;
  readonly out?: string;
  readonly checkOnly: boolean;
  readonly serve?: string;
  readonly json: boolean;
};

/** Adds the command. */
export function addModelCommand(program: Command, options: ProgramOptions): void {
  program
    .command("model")
    .description(
      "check, convert and measure a model of type qwen3, qwen2, llama or smollm3 for a site",
    )
    .argument("<source>", "folder, Hugging Face repository (org/name@revision) or URL")
    .addOption(
      new Option(
        "--dtype <format>",
        "number format of the pages' files (default: int4, or that of a converted folder)",
      ).choices(PAGE_FORMATS),
    )
    .option("--out <folder>", "folder of the converted model (default: in .waggle/models)")
    .option(
      "--check-only",
      "read config, tokenizer and chat template only: no weights, no conversion",
      false,
    )
    .option("--serve <site>", "then run this site with the model, as waggle dev does")
    .addOption(jsonOption())
    .action(async (given: string, flags: Flags) => {
      const progress = new ProgressWriter({ writeError: options.writeError, json: flags.json });
      try {
        await run(given, flags, progress, options);
      } catch (error) {
        progress.end();
        if (options.signal.aborted) options.writeError("stopped; run it again to continue");
        throw withModelName(given, error);
      }
    });
}

async function run(
  given: string,
  { json, checkOnly, serve, ...flags }: Flags,
  progress: ProgressWriter,
  { signal, writeOut, environment }: ProgramOptions,
): Promise<void> {
  const say = (lines: readonly string[]): void => {
    progress.end();
    if (!json) for (const line of lines) writeOut(line);
  };
  // Before the download, so that a site with a mistake does not show after it.
  if (serve !== undefined) await siteOf(serve);
  const source = sourceOf(given, environment["HF_ENDPOINT"]);
  progress.show({ step: "reading config, tokenizer and chat template" });
  const config = await readConfig(source, signal);
  const stored = parseStoredFormat(config);
  const dtype = flags.dtype ?? stored ?? "int4";
  const isConverted = stored !== null && typeof source === "string" && flags.out === undefined;
  if (stored !== null && (dtype !== stored || (!checkOnly && !isConverted))) {
    throw alreadyQuantized(given, stored, typeof source === "string");
  }
  const check = checkModel(config, dtype, totalmem());
  say(checkLines(given, check, dtype));
  progress.show({ step: "reading tokenizer and chat template" });
  const texts = await readTextFiles(source, signal);
  texts.set("config.json", new TextEncoder().encode(JSON.stringify(config)));
  const chat = checkChat(texts, check.config);
  say([chatLine(chat)]);
  const report = { ...reportOf(check), chat };
  if (checkOnly) {
    if (json) writeOut(JSON.stringify(report));
    return;
  }
  const out = resolve(
    flags.out ?? (isConverted ? source : `.waggle/models/${nameOf(given)}-${dtype}`),
  );
  const converted = isConverted
    ? await convertedFolder(out, stored)
    : await convertModel({
        source,
        format: dtype,
        out,
        signal,
        onProgress: ({ step, ...bytes }) => progress.show({ step: STEPS[step], ...bytes }),
      });
  progress.show({ step: "measuring speed and memory on this machine" });
  const measured = await measureModel(out, check.config, dtype, signal);
  say(resultLines(converted, measured, serve !== undefined));
  if (json) writeOut(JSON.stringify({ ...report, ...converted, ...measured }));
  if (serve === undefined) return;
  await runSite({
    site: serve,
    model: out,
    device: "auto",
    resume: true,
    trainer: check.untrainable === null,
    isolation: true,
  });
}

function alreadyQuantized(source: string, stored: WeightFormat, isFolder: boolean): WaggleError {
  const instead = isFolder
    ? "leave out --dtype and --out to use it as it is"
    : "download it and name its folder";
  return new WaggleError(
    "MODEL_UNSUPPORTED",
    `${source} is already quantized in ${stored}; ${instead}, or name the original model`,
  );
}

/** A folder that an earlier run has converted. */
async function convertedFolder(out: string, format: WeightFormat): Promise<ConvertedModel> {
  const { paths } = await openModelFolder(out);
  const shards = paths.filter((path) => path.endsWith(".safetensors"));
  const sizes = await Promise.all(shards.map(async (path) => (await stat(join(out, path))).size));
  const sizeBytes = sizes.reduce((sum, size) => sum + size, 0);
  return { out, format, sizeBytes, shards: shards.length, keptShards: shards.length };
}

const STEPS: { readonly [step in ConvertProgress["step"]]: string } = {
  download: "downloading",
  read: "reading the model",
  convert: "converting",
};

/** Adds the model's name to errors about its files. */
function withModelName(source: string, error: unknown): unknown {
  if (!WaggleError.is(error)) return error;
  const { code, message } = error;
  if (!MODEL_ERRORS.has(code) || message.includes(source)) return error;
  return new WaggleError(code, `${source}: ${message}`, { cause: error });
}

const MODEL_ERRORS: ReadonlySet<string> = new Set([
  "MODEL_CORRUPT",
  "MODEL_UNSUPPORTED",
  "TOKENIZER_UNSUPPORTED",
  "TEMPLATE_NOT_APPEND_ONLY",
  "TEMPLATE_UNSUPPORTED",
]);

function chatLine({ toolCallFormat, showsTools }: ChatCheck): string {
  return showsTools
    ? `chat       writes tool calls in the format ${toolCallFormat}`
    : "chat       can answer, but its chat template leaves out tools or their results, so it cannot use those of a site; choose a model that calls tools";
}

function checkLines(name: string, check: ModelCheck, dtype: PageFormat): readonly string[] {
  const { config, parameters, contextLength, phone, computer, untrainable, trainingBytes } = check;
  return [
    `model      ${name}: ${config.modelType}, ${(parameters / 1e6).toFixed(1)} M parameters, as ${dtype}`,
    `phone      ${fitText(phone, `a page on a phone with 4 GB, with a context of ${contextLength}`)}`,
    `computer   ${fitText(computer, "a page on WASM")}`,
    `training   ${untrainable === null ? `works on this machine, with ${sizeText(trainingBytes)}` : `not on this machine: ${untrainable}`}`,
  ];
}

function fitText({ neededBytes, limitBytes, instead }: Fit, where: string): string {
  const sizes = `${sizeText(neededBytes)} of ${sizeText(limitBytes)}`;
  return instead === null
    ? `fits ${where}: ${sizes}`
    : `does not fit ${where}: ${sizes}; ${instead}`;
}

function resultLines(
  { out, sizeBytes, format, shards, keptShards }: ConvertedModel,
  {
    speed: { read, written },
    memory,
  }: { readonly speed: ModelSpeed; readonly memory: MeasuredMemory },
  isServed: boolean,
): readonly string[] {
  const kept = keptShards === 0 ? "" : `, ${keptShards} from an earlier run`;
  const folder = relative(process.cwd(), out);
  const path = folder.startsWith("..") ? out : `./${folder}`;
  const next = `to serve   write model: ${JSON.stringify(path)} into waggle.config.ts, or run waggle dev --model ${path}`;
  return [
    `files      ${(sizeBytes / 1e6).toFixed(1)} MB of ${format} in ${shards === 1 ? "1 file" : `${shards} files`}${kept}: ${path}`,
    `speed      reads ${read.toFixed(0)} and writes ${written.toFixed(1)} tokens per second on this machine's CPU`,
    `memory     ${memoryText(memory)}`,
    ...(isServed ? [] : [next]),
  ];
}

function memoryText(memory: MeasuredMemory): string {
  const { modelBytes, predictedBytes, startBytes, loadedBytes, peakBytes, contextLength } = memory;
  return `the model takes ${sizeText(modelBytes)} here at its peak, predicted ${sizeText(predictedBytes)} for a page on WASM, with a context of ${contextLength}; the process has ${sizeText(startBytes)} before loading, ${sizeText(loadedBytes)} after it, ${sizeText(peakBytes)} at its peak`;
}

function reportOf({ config, ...check }: ModelCheck) {
  return { modelType: config.modelType, ...check };
}

function sizeText(bytes: number): string {
  return bytes < 2 ** 30
    ? `${(bytes / 2 ** 20).toFixed(0)} MB`
    : `${(bytes / 2 ** 30).toFixed(1)} GB`;
}
