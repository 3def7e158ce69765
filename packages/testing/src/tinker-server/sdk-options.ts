/** Options of the routes for the Tinker SDK's requests. */
import type { TrainEngine } from "@waggle/protocol";
import type { ExportFiles, TinkerModelRequest } from "./tinker-state.ts";

export type SdkOptions = {
  readonly baseModel: string;
  readonly exportFiles: ExportFiles;
  readonly createEngine: (request: TinkerModelRequest) => Promise<TrainEngine>;
  readonly longPollMs: number;
  readonly weighting: "sum" | "mean";
  readonly vocabularySize?: number;
  readonly inlineResultBytes?: number;
  readonly reportsGradientNorm?: boolean;
  readonly clientConfig?: { readonly [flag: string]: boolean | number };
};
