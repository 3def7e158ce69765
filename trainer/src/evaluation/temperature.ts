/**
 * Evaluates a policy at several sampling temperatures, and stores the results in logs. The curve over
 * temperatures is computed by `@waggle/evaluation`.
 */
import type { SuccessByTemperature } from "@waggle/evaluation";
import { FULL_SUPPORT, type Sampling } from "@waggle/protocol";

/** Softmax temperatures to try; 0 is greedy decoding. */
export const TEMPERATURES: readonly number[] = [0, 0.25, 0.5, 0.75, 1];

/** The full distribution at this temperature, or greedy decoding for 0. */
export function samplingAt(temperature: number): Omit<Sampling, "seed"> {
  return temperature === 0 ? { ...FULL_SUPPORT, topK: 1 } : { ...FULL_SUPPORT, temperature };
}

/** `greedy`, or the temperature as a number. */
export function temperatureName(temperature: number): string {
  return temperature === 0 ? "greedy" : String(temperature);
}

/** Evaluates a policy at each of these temperatures. */
export async function successByTemperature(
  temperatures: readonly number[],
  rollout: (sampling: Omit<Sampling, "seed">, temperature: number) => Promise<readonly boolean[]>,
): Promise<SuccessByTemperature> {
  const found = new Map<number, readonly boolean[]>();
  for (const temperature of temperatures) {
    found.set(temperature, await rollout(samplingAt(temperature), temperature));
  }
  return found;
}

/** One string of 0s and 1s per temperature, the format in logs. */
export type StoredByTemperature = { readonly [temperature: string]: string };

/** Encodes successes for a log. */
export function storedByTemperature(found: SuccessByTemperature): StoredByTemperature {
  return Object.fromEntries(
    [...found].map(([temperature, successes]) => [
      String(temperature),
      successes.map((one) => (one ? "1" : "0")).join(""),
    ]),
  );
}

/** Decodes successes from a log. */
export function readByTemperature(stored: StoredByTemperature): SuccessByTemperature {
  return new Map(
    Object.entries(stored).map(([temperature, digits]) => [
      Number(temperature),
      Array.from(digits, (digit) => digit === "1"),
    ]),
  );
}
