/** The report of a pretraining run. */
import type { PretrainingState } from "../checkpoint/pretraining-checkpoint.ts";
import type { HeldOutResults } from "./held-out.ts";

/** Data of a finished run. */
export type PretrainReport = PretrainingState & {
  readonly parameters: number;
  readonly vocabularySize: number;
  readonly device: string;
  readonly scores: HeldOutResults;
};
