/** Reads how likely a model's calls are right. */
import { parseCalibration } from "@waggle/evaluation";
import type { CalibrationMap } from "@waggle/evaluation";
import { CALIBRATION_FILE } from "@waggle/model";

/**
 * The map for calls in a model's files; `null` if it has none.
 *
 * @throws WaggleError `MODEL_CORRUPT` for a broken file. Without the error, a call would run that should be asked about.
 */
export function calibrationOf(files: ReadonlyMap<string, Uint8Array>): CalibrationMap | null {
  const bytes = files.get(CALIBRATION_FILE);
  if (bytes === undefined) return null;
  const text = new TextDecoder().decode(bytes);
  return parseCalibration(text, `${CALIBRATION_FILE} of the model`).calls;
}
