/** `model`: checks, converts and measures a real model, and serves it to a site's pages. Run it again to continue. */
import { totalmem } from "node:os";
import { relative, resolve } from "node:path";
import { convertModel, type ConvertedModel } from "@waggle/runtime/node";
import { jsonOption, type ProgramOptions } from "@waggle/trainer";
import { type Command, Option } from "commander";
import { runSite } from "../dev-command.ts";
import { createProgressLine, endProgressLine } from "../progress-line.ts";
import {
  checkModel,
  type Fit,
  type ModelCheck,
  PAGE_FORMATS,
  type PageFormat,
} from "./model-check.ts";
import { measureSpeed, type ModelSpeed } from "./model-speed.ts";
import { nameOf, readConfig, sourceOf } from "./source-config.ts";

type Flags = {
  readonly dtype: PageFormat;
  readonly out?: string;
  readonly checkOnly: boolean;
  readonly serve?: string;
  readonly json: boolean;
};

/** Adds the command. */
export function addModelCommand(
  program: Command,
  { signal, writeOut, environment }: Pick<ProgramOptions, "signal" | "writeOut" | "environment">,
): void {
  program
    .command("model")
    .description(
      "check, convert and measure a model of type qwen3, qwen2, llama or smollm3 for a site",
    )
    .argument("<source>", "folder, Hugging Face repository (org/name@revision) or URL")
    .addOption(
      new Option("--dtype <format>", "number format of the pages' files")
        .choices(PAGE_FORMATS)
        .default("int4"),
    )
    .option("--out <folder>", "folder of the converted model (default: in .waggle/models)")
    .option("--check-only", "read config.json only: no download, no conversion", false)
    .option("--serve <site>", "then run this site with the model, as waggle dev does")
    .addOption(jsonOption())
    .action(async (given: string, { dtype, json, checkOnly, serve, ...flags }: Flags) => {
      const source = sourceOf(given, environment["HF_ENDPOINT"]);
      const check = checkModel(await readConfig(source, signal), dtype, totalmem());
      const say = (lines: readonly string[]): void => {
        if (!json) for (const line of lines) writeOut(line);
      };
      say(checkLines(given, check, dtype));
      if (checkOnly) {
        if (json) writeOut(JSON.stringify(reportOf(check)));
        return;
      }
      const out = resolve(flags.out ?? `.waggle/models/${nameOf(given)}-${dtype}`);
      const converted = await convert({
        source,
        format: dtype,
        out,
        signal,
        onProgress: createProgressLine(),
      });
      const speed = await measureSpeed(out, check.config, dtype, signal);
      say(resultLines(converted, speed));
      if (json) writeOut(JSON.stringify({ ...reportOf(check), ...converted, speed }));
      if (serve === undefined) return;
      await runSite({
        site: serve,
        model: out,
        device: "auto",
        resume: true,
        trainer: check.untrainable === null,
        isolation: true,
      });
    });
}

async function convert(options: Parameters<typeof convertModel>[0]): Promise<ConvertedModel> {
  try {
    return await convertModel(options);
  } catch (error) {
    if (options.signal?.aborted) process.stderr.write("stopped; run it again to continue\n");
    throw error;
  } finally {
    endProgressLine();
  }
}

function checkLines(name: string, check: ModelCheck, dtype: PageFormat): readonly string[] {
  const { config, parameters, contextLength, phone, computer, untrainable, trainingBytes } = check;
  return [
    `model      ${name}: ${config.modelType}, ${(parameters / 1e6).toFixed(1)} M parameters, as ${dtype}`,
    `phone      ${fitText(phone, `a page on a phone with 4 GB, with a context of ${contextLength}`)}`,
    `computer   ${fitText(computer, "a page on WASM")}`,
    `training   ${untrainable === null ? `works on this machine, with ${gigabytes(trainingBytes)}` : `not on this machine: ${untrainable}`}`,
  ];
}

function fitText({ fits, neededBytes, limitBytes, instead }: Fit, where: string): string {
  const sizes = `${gigabytes(neededBytes)} of ${gigabytes(limitBytes)}`;
  return fits ? `fits ${where}: ${sizes}` : `does not fit ${where}: ${sizes}; ${instead}`;
}

function resultLines(
  { out, sizeBytes, format, shards, keptShards }: ConvertedModel,
  { read, written }: ModelSpeed,
): readonly string[] {
  const kept = keptShards === 0 ? "" : `, ${keptShards} of them from an earlier run`;
  const folder = relative(process.cwd(), out);
  const path = folder.startsWith("..") ? out : `./${folder}`;
  return [
    `files      ${(sizeBytes / 1e6).toFixed(1)} MB of ${format} in ${shards} file(s)${kept}: ${path}`,
    `speed      reads ${read.toFixed(0)} and writes ${written.toFixed(1)} tokens per second on this machine's CPU`,
    `to serve   write model: ${JSON.stringify(path)} into waggle.config.ts, or run waggle dev --model ${path}`,
  ];
}

function reportOf({ config, ...check }: ModelCheck) {
  return { modelType: config.modelType, ...check };
}

function gigabytes(bytes: number): string {
  return `${(bytes / 2 ** 30).toFixed(bytes < 2 ** 30 / 10 ? 3 : 1)} GB`;
}
