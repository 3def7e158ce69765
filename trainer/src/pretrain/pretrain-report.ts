/** The report of a pretraining run. */
import type { RunState } from "../checkpoint/run-checkpoint.ts";
import type { HeldOutResults } from "./held-out.ts";

/** Data of a finished run. */
export type PretrainReport = RunState & {
  readonly parameters: number;
  readonly vocabularySize: number;
  readonly device: string;
  readonly scores: HeldOutResults;
};
