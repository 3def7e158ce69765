import { join } from "node:path";

/** Root of the repository. */
export const ROOT: string = join(import.meta.dirname, "..");
