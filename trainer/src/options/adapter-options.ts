/**
 * Options for the adapters that a run starts from and saves: the policy's in PEFT's layout, with
 * those of other models in subfolders. Only the policy's can be the start. Heads of critics and
 * reward models are not saved, because PEFT's layout cannot store them.
 */
import { join } from "node:path";
import type { Recipe } from "@waggle/learning";
import type { Adapter, DecoderConfig } from "@waggle/model";
import { WaggleError } from "@waggle/protocol";
import type { Command } from "commander";
import { adapterFolderFiles, readAdapterFolder } from "../model/adapter-folder.ts";
import { requireFree, writeOutput } from "../files/output.ts";
import type { RecipeEngines } from "../loop/recipe-engines.ts";
import { adapterOf } from "../update/adapter-tensors.ts";
import { adapterOption, forceOption, outOption } from "./shared-options.ts";

/** Parsed values of the adapter options. */
export type AdapterFlags = {
  readonly adapter?: string;
  readonly teacher?: string;
  readonly out?: string;
  readonly force: boolean;
};

/** Adds `--adapter`, `--teacher`, `--out` and `--force`. */
export function addAdapterOptions(command: Command): Command {
  return command
    .addOption(adapterOption())
    .option(
      "--teacher <folder>",
      "adapter of the teacher over the same base, for recipes with a teacher",
    )
    .addOption(outOption("save the learned adapter, in PEFT's layout"))
    .addOption(forceOption());
}

/**
 * @throws WaggleError `CONFLICT` if `--out` would overwrite a folder, `INVALID_ARGUMENT` if the
 *   recipe changes no weights.
 */
export async function requireOut({ out, force }: AdapterFlags, recipe: Recipe): Promise<void> {
  if (out === undefined) return;
  await requireFree(out, force);
  if (recipe.stages.some(({ learns }) => learns !== "texts")) return;
  throw new WaggleError(
    "INVALID_ARGUMENT",
    `recipe ${recipe.name} learns texts, not weights; save them with --save-text instead of --out`,
  );
}

/** @throws WaggleError `NOT_FOUND`; `ADAPTER_INCOMPATIBLE` for an adapter over another base. */
export async function adaptersOf(
  { adapter, teacher }: AdapterFlags,
  config: DecoderConfig,
): Promise<{ readonly start: Adapter | null; readonly teacher: Adapter | null }> {
  const read = async (folder: string | undefined): Promise<Adapter | null> =>
    folder === undefined ? null : (await readAdapterFolder(folder, config)).adapter;
  return { start: await read(adapter), teacher: await read(teacher) };
}

/** Saves the current adapters if requested. */
export async function saveAdapters(
  { out }: AdapterFlags,
  { engine, resources }: Pick<RecipeEngines, "engine" | "resources">,
  shape: Pick<Adapter, "rank" | "alpha">,
  config: DecoderConfig,
): Promise<void> {
  if (out === undefined) return;
  const { rank, alpha } = shape;
  for (const [name, trained] of [["", engine] as const, ...(resources.models ?? [])]) {
    const adapter = { rank, alpha, tensors: adapterOf(await trained.parameters()) };
    await writeOutput(join(out, name), adapterFolderFiles(adapter, config));
  }
}
