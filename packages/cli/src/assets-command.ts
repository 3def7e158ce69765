/** `assets`: writes the files that pages without a bundler load. */
import { resolve } from "node:path";
import { jsonOption, type ProgramOptions } from "@waggle/trainer";
import type { Command } from "commander";
import { buildAssets } from "./build-assets.ts";

/** Adds the command. */
export function addAssetsCommand(
  program: Command,
  { writeOut }: Pick<ProgramOptions, "writeOut">,
): void {
  program
    .command("assets")
    .description("write the files that a page without a bundler loads, with integrity hashes")
    .argument(
      "<folder>",
      "gets the files and assets.json; those of an earlier release are replaced",
    )
    .addOption(jsonOption())
    .action(async (given: string, { json }: { readonly json: boolean }) => {
      const folder = resolve(given);
      const assets = await buildAssets(folder);
      if (json) return writeOut(JSON.stringify({ folder, files: assets }));
      for (const { path, sizeBytes, integrity } of assets) {
        writeOut(`${String(sizeBytes).padStart(9)}  ${integrity}  ${path}`);
      }
      writeOut(`${assets.length} files and assets.json are in ${folder}`);
    });
}
