/** The model that is evaluated: its policy, and how its confidence is read as a probability. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { defaultTurnTokens } from "@waggle/agent";
import type { RollOutLimits } from "@waggle/agent";
import { parseCalibration } from "@waggle/evaluation";
import type { StoredCalibration } from "@waggle/evaluation";
import { CALIBRATION_FILE } from "@waggle/model";
import type { Sampling } from "@waggle/protocol";
import type { AdaptivePolicy } from "@waggle/runtime/node";
import type { ChatFormat } from "@waggle/text";
import { samplingAt } from "../../../trainer/src/evaluation/temperature.ts";
import { readBaseModel } from "../../../trainer/src/model/base-model.ts";
import { openPolicy } from "../../../trainer/src/model/open-model.ts";

/** A policy and how it samples. */
export type EvaluatedModel = {
  readonly folder: string;
  readonly policy: AdaptivePolicy;
  readonly format: ChatFormat;
  readonly sampling: Omit<Sampling, "seed">;
  readonly seed: number;
  /** As in a page, without its time limit. */
  readonly limits: RollOutLimits;
};

/** What evaluations report while they run, and when to stop. */
export type Evaluating = {
  readonly onProgress: (done: number, total: number) => void;
  readonly signal: AbortSignal;
};

/** Opens a model folder. @throws WaggleError as `readBaseModel`. */
export async function openEvaluated(
  folder: string,
  { temperature, seed }: { readonly temperature: number; readonly seed: number },
): Promise<EvaluatedModel> {
  const model = await readBaseModel(folder);
  const policy = await openPolicy(model);
  return {
    folder,
    policy,
    format: model.format,
    sampling: samplingAt(temperature),
    seed,
    limits: {
      maxTurns: 8,
      maxTokensPerTurn: defaultTurnTokens(policy.contextLength),
      timeoutMs: 0,
      maxRepeatedTurns: 3,
    },
  };
}

/** The calibration of a model; `null` if it has none. @throws WaggleError `MODEL_CORRUPT` for another file. */
export function readCalibration(folder: string): StoredCalibration | null {
  const file = join(folder, CALIBRATION_FILE);
  return existsSync(file) ? parseCalibration(readFileSync(file, "utf8"), file) : null;
}

/** Stores the calibration in the model's folder. @returns the file. */
export function writeCalibration(folder: string, calibration: StoredCalibration): string {
  const file = join(folder, CALIBRATION_FILE);
  writeFileSync(file, `${JSON.stringify(calibration, null, 2)}\n`);
  return file;
}
