/** The folders of the models that come with the trainer. */
import { dirname, resolve } from "node:path";
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

/** The folder of a model: one that comes with the trainer, by name, or a path from `folder`. */
export function modelFolder(model: string, folder: string): string {
  return SHIPPED_MODELS.get(model) ?? resolve(folder, model);
}
