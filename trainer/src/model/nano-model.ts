/** The folder of the nano model, which the trainer's commands use where none is named. */
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

/** Absolute: the commands run in any folder. */
export const NANO_MODEL: string = dirname(
  fileURLToPath(import.meta.resolve("@waggle/nano/config.json")),
);
