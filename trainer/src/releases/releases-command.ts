/**
 * `releases`: measures the rule that decides about candidates, on simulated releases. Not a study: a study
 * compares training recipes at one budget, and here nothing is trained.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Command } from "commander";
import { positive } from "../options/option-values.ts";
import type { ProgramOptions } from "../options/program-options.ts";
import { jsonOption, outputOption, seedOption } from "../options/shared-options.ts";
import { studyReleases } from "./release-study.ts";
import { releaseTables } from "./release-tables.ts";

type Flags = { releases: number; seed: number; output: string; json: boolean };

/** Adds the command to the program. */
export function addReleasesCommand(
  program: Command,
  { signal, writeOut, writeError }: Pick<ProgramOptions, "signal" | "writeOut" | "writeError">,
): void {
  program
    .command("releases")
    .description("simulate releases of better, equal and worse candidates, and count the decisions")
    .option("--releases <n>", "releases of each kind of candidate", positive, 200)
    .addOption(seedOption())
    .addOption(outputOption("folder for releases.json", "docs/evidence"))
    .addOption(jsonOption())
    .action(async ({ releases, seed, output, json }: Flags) => {
      const startedAt = performance.now();
      const report = await studyReleases({
        releases,
        seed,
        signal,
        onProgress(finished, total) {
          const minutes = (performance.now() - startedAt) / 60_000;
          if (json) writeOut(JSON.stringify({ event: "progress", finished, total, minutes }));
          else writeError(`${finished}/${total}  ${minutes.toFixed(1)} min`);
        },
      });
      await mkdir(output, { recursive: true });
      const file = join(output, "releases.json");
      await writeFile(file, `${JSON.stringify(report, null, 2)}\n`);
      if (json) writeOut(JSON.stringify(report));
      else {
        for (const { title, lines } of releaseTables(report)) {
          writeOut([`${title}:`, "", ...lines, ""].join("\n"));
        }
        writeOut(file);
      }
    });
}
