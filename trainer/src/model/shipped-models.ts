/** The folders of the models that come with the trainer. */
import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** Absolute, because commands run in any folder. */
export const NANO_MODEL: string = dirname(
  fileURLToPath(import.meta.resolve("@waggle/nano/config.json")),
);

/** What `npm start` runs, and what a site's base can go on from. */
export const DEFAULT_MODEL: string = dirname(
  fileURLToPath(import.meta.resolve("@waggle/default-model/config.json")),
);

/** By the names that commands take in place of a folder. */
export const SHIPPED_MODELS: ReadonlyMap<string, string> = new Map([
  ["default", DEFAULT_MODEL],
  ["nano", NANO_MODEL],
]);

/**
 * The model in a folder with its package and version, for readers: `the default model of Waggle, @waggle/default-model 1.2.0`.
 *
 * @returns `null` for a folder that does not come with the trainer
 */
export function shippedModelTitle(folder: string): string | null {
  const [name] = [...SHIPPED_MODELS].find(([, shipped]) => shipped === resolve(folder)) ?? [];
  if (name === undefined) return null;
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    readonly name: string;
    readonly version: string;
  };
  return `the ${name} model of Waggle, ${manifest.name} ${manifest.version}`;
}

/** The folder of a model: one that comes with the trainer, by name, or a path from `folder`. */
export function modelFolder(model: string, folder: string): string {
  return SHIPPED_MODELS.get(model) ?? resolve(folder, model);
}
