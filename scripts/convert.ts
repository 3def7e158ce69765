/**
 * `npm run convert -- <folder|repository|address> --dtype int4 --out <folder>`: a model in another
 * number format, ahead of time. Stopped with Ctrl-C, it goes on where it was when it is run again.
 */
import { convertModel } from "@waggle/runtime/node";
import type { ConvertProgress } from "@waggle/runtime/node";
import { Option } from "commander";
import { createCommand, exitCodeOf } from "../trainer/src/commands/command-line.ts";

const FORMATS = ["f32", "f16", "bf16", "int8", "int4"] as const;

type Flags = {
  readonly dtype: (typeof FORMATS)[number];
  readonly out: string;
  readonly json?: boolean;
};

const stop = new AbortController();
for (const name of ["SIGINT", "SIGTERM"] as const) {
  process.on(name, () => {
    // A second Ctrl-C ends the process at once.
    if (stop.signal.aborted) process.exit(130);
    stop.abort();
  });
}

const program = createCommand("npm run convert --")
  .description("Writes a model folder in another number format, for pages to load.")
  .argument("<source>", "a folder, a Hugging Face repository (org/name@revision) or an address")
  .addOption(new Option("--dtype <format>", "number format").choices(FORMATS).default("int4"))
  .requiredOption("--out <folder>", "folder to write")
  .option("--json", "print the result as one line of JSON")
  .action(async (source: string, flags: Flags) => {
    const model = await convertModel({
      source,
      format: flags.dtype,
      out: flags.out,
      signal: stop.signal,
      onProgress: createProgressLine(),
    });
    if (process.stderr.isTTY) process.stderr.write("\n");
    const { out, format, shards, keptShards, sizeBytes } = model;
    const kept = keptShards === 0 ? "" : `, ${keptShards} of them kept`;
    console.log(
      flags.json === true
        ? JSON.stringify(model)
        : `${out}: ${(sizeBytes / 1e6).toFixed(1)} MB of ${format} in ${shards} file(s)${kept}`,
    );
  });

/** One line that is written over, at most ten times a second; none where nobody watches. */
function createProgressLine(): (progress: ConvertProgress) => void {
  let last = 0;
  return ({ step, doneBytes, totalBytes }) => {
    const now = performance.now();
    if (!process.stderr.isTTY || (now - last < 100 && doneBytes !== totalBytes)) return;
    last = now;
    const total = totalBytes === null ? "?" : (totalBytes / 1e6).toFixed(1);
    process.stderr.write(`\r${step} ${(doneBytes / 1e6).toFixed(1)} of ${total} MB `);
  };
}

try {
  await program.parseAsync(process.argv);
} catch (error) {
  // The process entry: the only place that turns a failure into an exit code.
  if (process.stderr.isTTY) process.stderr.write("\n");
  process.stderr.write(
    stop.signal.aborted
      ? "stopped; run it again to go on\n"
      : `${error instanceof Error ? error.message : String(error)}\n`,
  );
  process.exitCode = stop.signal.aborted ? 130 : exitCodeOf(error);
}
