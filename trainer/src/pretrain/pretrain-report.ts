/** What a pretraining run reports. */
import type { RunState } from "../checkpoint/run-checkpoint.ts";
import type { HeldOutResults } from "./held-out.ts";

/** What a finished run says of itself. */
export type PretrainReport = RunState & {
  readonly parameters: number;
  readonly vocabularySize: number;
  readonly device: string;
  readonly scores: HeldOutResults;
};
