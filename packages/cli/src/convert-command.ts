/** `convert`: writes a model in another number format ahead of time. Run it again to continue a stopped run. */
import { convertModel } from "@waggle/runtime/node";
import { jsonOption, type ProgramOptions } from "@waggle/trainer";
import { type Command, Option } from "commander";
import { ProgressWriter } from "./progress.ts";

const FORMATS = ["f32", "f16", "bf16", "int8", "int4"] as const;

type Flags = {
  readonly dtype: (typeof FORMATS)[number];
  readonly out: string;
  readonly json: boolean;
};

/** Adds the command. */
export function addConvertCommand(
  program: Command,
  { signal, writeOut, writeError }: Pick<ProgramOptions, "signal" | "writeOut" | "writeError">,
): void {
  program
    .command("convert")
    .description("convert a model folder to another number format for web pages")
    .argument("<source>", "folder, Hugging Face repository (org/name@revision) or URL")
    .addOption(new Option("--dtype <format>", "number format").choices(FORMATS).default("int4"))
    .requiredOption("--out <folder>", "output folder")
    .addOption(jsonOption())
    .action(async (source: string, flags: Flags) => {
      const progress = new ProgressWriter({ writeError, json: flags.json });
      try {
        const model = await convertModel({
          source,
          format: flags.dtype,
          out: flags.out,
          signal,
          onProgress: progress.show,
        });
        const { out, format, shards, keptShards, sizeBytes } = model;
        const kept = keptShards === 0 ? "" : `, ${keptShards} of them unchanged`;
        progress.end();
        writeOut(
          flags.json
            ? JSON.stringify(model)
            : `${out}: ${(sizeBytes / 1e6).toFixed(1)} MB of ${format} in ${shards} file(s)${kept}`,
        );
      } catch (error) {
        progress.end();
        if (signal.aborted) writeError("stopped; run it again to continue");
        throw error;
      }
    });
}
