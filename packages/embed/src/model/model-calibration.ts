/** Reads how likely a model's calls are right. */
import { parseCalibration } from "@waggle/evaluation";
import type { CalibrationMap } from "@waggle/evaluation";
import { CALIBRATION_FILE } from "@waggle/model";
import type { ModelReader } from "@waggle/runtime";

/**
 * The map for calls in a model's files; `null` if it has none.
 *
 * @throws WaggleError `MODEL_CORRUPT` for a broken file. Without the error, a call would run that should be asked about.
 */
export async function readCalibration(
  model: Pick<ModelReader, "has" | "bytes">,
): Promise<CalibrationMap | null> {
  if (!model.has(CALIBRATION_FILE)) return null;
  const text = new TextDecoder().decode(await model.bytes(CALIBRATION_FILE));
  return parseCalibration(text, `${CALIBRATION_FILE} of the model`).calls;
}
