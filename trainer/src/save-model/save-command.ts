/** `save-model`: saves a trained adapter for other tools, or to continue training. */
import { createHash } from "node:crypto";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { CALIBRATION_FILE, mergedWeights, type StoredFormat } from "@waggle/model";
import { WaggleError } from "@waggle/protocol";
import { convertModel } from "@waggle/runtime/node";
import { type Command, Option } from "commander";
import { adapterFolderFiles } from "../model/adapter-folder.ts";
import type { ExchangeCommandOptions } from "../exchange/commands.ts";
import { writeOutput } from "../files/output.ts";
import { writeTrainingTemplate } from "../files/training-template.ts";
import { aboveZero } from "../options/option-values.ts";
import { NANO_MODEL } from "../model/shipped-models.ts";
import { type BaseFolder, openBaseFolder } from "./base-folder.ts";
import { writeOnnxFolder } from "./onnx-folder.ts";
import { writeFolder } from "./staged-folder.ts";
import {
  readTrained,
  TRAINED_STATES,
  type TrainedAdapter,
  type TrainedState,
} from "./trained-adapter.ts";
import { forceOption, fromOption, jsonOption, outOption } from "../options/shared-options.ts";

/** The output kinds and the number formats of each. */
const FORMS = {
  peft: ["f32", "f16", "bf16"],
  merged: ["f32", "f16", "bf16"],
  pages: ["int8", "int4"],
  onnx: ["f32", "f16", "int8", "int4"],
  checkpoint: ["f32"],
} as const satisfies { readonly [form: string]: readonly [StoredFormat, ...StoredFormat[]] };

const ALL_FORMATS = [...new Set(Object.values(FORMS).flat())];

type Form = keyof typeof FORMS;

type Flags = {
  from: string;
  base: string;
  as: Form;
  which: TrainedState;
  dtype: StoredFormat;
  out: string;
  shardSize: number;
  force: boolean;
  json: boolean;
};

type Progress = (doneBytes: number, totalBytes: number | null) => void;

export function addSaveCommand(
  program: Command,
  { signal, writeOut, writeError }: ExchangeCommandOptions,
): void {
  program
    .command("save-model")
    .description("save a trained adapter for other tools, or to continue training")
    .addOption(fromOption("a trainer's --state folder, or an adapter in PEFT's layout"))
    .addOption(outOption("output folder").makeOptionMandatory())
    .addOption(
      new Option(
        "--as <form>",
        "peft: the adapter; merged: the whole model; pages: the same, quantized for @waggle/runtime; onnx: its graph; checkpoint: the adapter with optimizer moments",
      )
        .choices(Object.keys(FORMS))
        .default("peft"),
    )
    .addOption(
      new Option(
        "--base <folder>",
        "base model of the adapter; train prints it, such as .waggle/bases/calculator",
      ).default(NANO_MODEL, "the nano model"),
    )
    .addOption(
      new Option(
        "--which <state>",
        "with a --state folder: the version that visitors get (stable), or the last step (newest)",
      )
        .choices(TRAINED_STATES)
        .default("stable"),
    )
    .addOption(
      new Option("--dtype <format>", "number format (default: int8 for pages, else f32)").choices(
        ALL_FORMATS,
      ),
    )
    .addOption(
      new Option("--shard-size <MB>", "maximum size of a weight file")
        .argParser((text) => 1e6 * aboveZero(text))
        .default(1e9, "1000"),
    )
    .addOption(forceOption())
    .addOption(jsonOption())
    .action(async (flags: Omit<Flags, "dtype"> & Partial<Flags>) => {
      const given: Flags = { ...flags, dtype: flags.dtype ?? FORMS[flags.as][0] };
      requireFormat(given);
      const base = await openBaseFolder(given.base);
      const trained = await readTrained(given.from, base, given.which, signal);
      const progress = progressLines(given, writeError);
      const files = await writeFolder(given.out, given.force, async (folder) => {
        await writeForm(folder, given, base, trained, signal, progress);
        if (given.as === "merged" || given.as === "pages" || given.as === "onnx") {
          await writeTrainingTemplate(folder, await tokenizerConfigOf(base));
        }
        signal.throwIfAborted();
        return filesOf(folder);
      });
      const sizeBytes = files.reduce((sum, file) => sum + file.sizeBytes, 0);
      const step = trained.checkpoint?.step ?? null;
      const { as, dtype, out } = given;
      writeOut(
        given.json
          ? JSON.stringify({ out, as, dtype, step, sizeBytes, files })
          : `${out}: ${(sizeBytes / 1e6).toFixed(1)} MB in ${files.length} files, ${as} in ${dtype}${step === null ? "" : `, after ${step} steps`}`,
      );
    });
}

/** `null` if the base has none. */
async function tokenizerConfigOf(base: BaseFolder): Promise<unknown> {
  if (!base.paths.includes("tokenizer_config.json")) return null;
  return JSON.parse(new TextDecoder().decode(await base.bytes("tokenizer_config.json")));
}

async function writeForm(
  folder: string,
  { as, base: baseFolder, dtype, shardSize: shardBytes }: Flags,
  base: BaseFolder,
  { adapter, checkpoint }: TrainedAdapter,
  signal: AbortSignal,
  onProgress: Progress,
): Promise<void> {
  switch (as) {
    case "peft": {
      const stored = ({ f32: "F32", f16: "F16", bf16: "BF16" } as const)[dtype as "f32"];
      await writeOutput(folder, adapterFolderFiles(adapter, base.config, { dtype: stored }));
      return;
    }
    case "checkpoint": {
      if (checkpoint === null) {
        throw new WaggleError(
          "NOT_FOUND",
          "this adapter has no optimizer moments, which a checkpoint needs; pass a trainer's --state folder, or save it as peft",
        );
      }
      await writeOutput(folder, adapterFolderFiles(adapter, base.config, { checkpoint }));
      return;
    }
    case "merged":
    case "pages": {
      const identity = createHash("sha256");
      for (const file of adapterFolderFiles(adapter, base.config)) {
        for (const part of file.content instanceof Uint8Array ? [file.content] : file.content) {
          identity.update(part);
        }
      }
      await convertModel({
        source: baseFolder,
        format: dtype,
        out: folder,
        signal,
        shardBytes,
        change: {
          identity: identity.digest("hex"),
          weightsOf: (weights, config) => mergedWeights(config, weights, adapter),
        },
        onProgress: ({ doneBytes, totalBytes }) => onProgress(doneBytes, totalBytes),
      });
      return;
    }
    case "onnx": {
      const companions = base.paths.filter(
        (path) => !path.includes("safetensors") && path !== CALIBRATION_FILE,
      );
      await writeOnnxFolder(
        folder,
        base.config,
        mergedWeights(base.config, await base.weights(), adapter),
        new Map(companions.map((path) => [path, join(baseFolder, path)])),
        { dtype: dtype as "f32", shardBytes, signal, onProgress },
      );
    }
  }
}

function requireFormat({ as, dtype }: Flags): void {
  const formats: readonly StoredFormat[] = FORMS[as];
  if (formats.includes(dtype)) return;
  const advice =
    as === "merged"
      ? ", because Transformers cannot load this quantization: choose --as pages for @waggle/runtime, or"
      : "; choose";
  throw new WaggleError(
    "INVALID_ARGUMENT",
    `${as} does not support --dtype ${dtype}${advice} one of ${formats.join(", ")}`,
  );
}

/** Prints a line for every tenth of the total. */
function progressLines({ json, as }: Flags, write: (line: string) => void): Progress {
  let told = 0;
  return (doneBytes, totalBytes) => {
    const tenth = totalBytes === null ? 0 : Math.floor((10 * doneBytes) / totalBytes);
    if (tenth <= told) return;
    told = tenth;
    write(
      json
        ? JSON.stringify({ event: "progress", doneBytes, totalBytes })
        : `${as}: ${(doneBytes / 1e6).toFixed(1)} of ${((totalBytes ?? 0) / 1e6).toFixed(1)} MB`,
    );
  };
}

async function filesOf(folder: string): Promise<{ name: string; sizeBytes: number }[]> {
  const entries = await readdir(folder, { recursive: true });
  const files = [];
  for (const name of entries.toSorted()) {
    const found = await stat(join(folder, name));
    if (found.isFile()) files.push({ name, sizeBytes: found.size });
  }
  return files;
}
