/** `calibration.json` of a model's folder: how likely its decisions are right, from how sure it was of them. */
import { isObject, WaggleError } from "@waggle/protocol";
import type { CalibrationMap } from "./calibration.ts";

/** A fitted calibration, as the file stores it. */
export type StoredCalibration = {
  /** The environment whose held-out tasks it was fitted on. */
  readonly environment: string;
  readonly tasks: number;
  readonly seed: number;
  readonly temperature: number;
  /** From the confidence of a whole rollout to the probability of its success. */
  readonly map: CalibrationMap;
  /**
   * From the confidence of a turn that changes something to the probability that its calls are right. A file without it,
   * because no rollout changed anything, has that of rollouts here.
   */
  readonly calls: CalibrationMap;
};

/**
 * The calibration in the text of such a file.
 * @param place - names the file in errors.
 * @throws WaggleError `MODEL_CORRUPT` for another text, saying what is wrong with it.
 */
export function parseCalibration(text: string, place: string): StoredCalibration {
  const stored = jsonOf(text);
  const { map, calls = map } = isObject(stored) ? stored : {};
  if (isMap(map) && isMap(calls)) return { ...(stored as StoredCalibration), map, calls };
  const wrong = isMap(map) ? "calls" : "map";
  throw new WaggleError(
    "MODEL_CORRUPT",
    `${place} has no list "${wrong}" of pairs of numbers from 0 to 1 that rise; write it again with npm run eval-base -- --fit-calibration, or delete it`,
  );
}

function isMap(value: unknown): value is CalibrationMap {
  if (!Array.isArray(value) || value.length === 0) return false;
  return value.every(
    (point, nth) => isPoint(point) && (nth === 0 || isRise(value[nth - 1] as number[], point)),
  );
}

function isPoint(value: unknown): value is [number, number] {
  return (
    Array.isArray(value) &&
    value.length === 2 &&
    value.every((one) => typeof one === "number" && one >= 0 && one <= 1)
  );
}

function isRise(before: readonly number[], after: readonly number[]): boolean {
  return [0, 1].every((axis) => (before[axis] ?? 0) <= (after[axis] ?? 0));
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
