/** The folder of the nano model, the default model of the trainer's commands. */
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

/** Absolute, because commands run in any folder. */
export const NANO_MODEL: string = dirname(
  fileURLToPath(import.meta.resolve("@waggle/nano/config.json")),
);
