/**
 * Options of what a run begins with and leaves: the adapter of the policy in PEFT's layout, and beside it
 * those of whatever else a recipe trains, each in a folder of its name; only the policy's is begun with. Not
 * heads of critics and reward models: PEFT's layout has no place for them.
 */
import { join } from "node:path";
import type { Recipe } from "@waggle/learning";
import type { Adapter, DecoderConfig } from "@waggle/model";
import { WaggleError } from "@waggle/protocol";
import type { Command } from "commander";
import { adapterFolderFiles, readAdapterFolder } from "../sink/adapter-folder.ts";
import { requireFree, writeOutput } from "../exchange/output.ts";
import type { RecipeEngines } from "../recipes/recipe-engines.ts";
import { adapterOf } from "../update/adapter-tensors.ts";
import { forceOption } from "./shared-options.ts";

export type AdapterFlags = {
  readonly adapter?: string;
  readonly teacher?: string;
  readonly out?: string;
  readonly force: boolean;
};

export function addAdapterOptions(command: Command): Command {
  return command
    .option(
      "--adapter <folder>",
      "start from this adapter, in PEFT's layout; default: a new adapter",
    )
    .option(
      "--teacher <folder>",
      "adapter of the teacher over the same base, for recipes with a teacher",
    )
    .option("--out <folder>", "save the learned adapter, in PEFT's layout")
    .addOption(forceOption());
}

/**
 * @throws WaggleError `CONFLICT` where `--out` would be written over, `INVALID_ARGUMENT` where the recipe
 *   moves no weight.
 */
export async function requireOut({ out, force }: AdapterFlags, recipe: Recipe): Promise<void> {
  if (out === undefined) return;
  await requireFree(out, force);
  if (recipe.stages.some(({ learns }) => learns !== "texts")) return;
  throw new WaggleError(
    "INVALID_ARGUMENT",
    `--out needs a recipe that learns weights, got ${recipe.name}, which writes texts; keep them with --save-text`,
  );
}

/** @throws WaggleError `NOT_FOUND`, `ADAPTER_INCOMPATIBLE` for one of another base. */
export async function adaptersOf(
  { adapter, teacher }: AdapterFlags,
  config: DecoderConfig,
): Promise<{ readonly start: Adapter | null; readonly teacher: Adapter | null }> {
  const read = async (folder: string | undefined): Promise<Adapter | null> =>
    folder === undefined ? null : (await readAdapterFolder(folder, config)).adapter;
  return { start: await read(adapter), teacher: await read(teacher) };
}

/** Writes what is learned by now, where it is asked for. */
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
