/**
 * Held-out success by sampling temperature. A recipe that only sharpens the policy beats its base at
 * temperature 1 without teaching it anything, so both are compared at their best temperature.
 */
import { FULL_SUPPORT, type Sampling } from "@waggle/protocol";
import { shareSolved } from "./evaluation.ts";

/** Softmax temperatures to try; 0 is greedy decoding. */
export const TEMPERATURES: readonly number[] = [0, 0.25, 0.5, 0.75, 1];

/** `[tasks]` successes by temperature, in the order of the seed's held-out tasks. */
export type SuccessByTemperature = ReadonlyMap<number, readonly boolean[]>;

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
  rollout: (sampling: Omit<Sampling, "seed">) => Promise<readonly boolean[]>,
): Promise<SuccessByTemperature> {
  const found = new Map<number, readonly boolean[]>();
  for (const temperature of temperatures) {
    found.set(temperature, await rollout(samplingAt(temperature)));
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

/** Share of solved tasks by temperature, averaged over seeds. */
export type TemperatureCurve = {
  /** `[seeds]` share solved at the temperature with the best average over the seeds. */
  readonly best: readonly number[];
  readonly bestTemperature: number;
  /** `[seeds]` share solved greedily. */
  readonly greedy: readonly number[];
};

/**
 * @param bySeed - successes of each seed, at the same temperatures.
 * @returns `null` if there are no seeds or no temperature that all of them have.
 */
export function temperatureCurve(bySeed: readonly SuccessByTemperature[]): TemperatureCurve | null {
  const [first] = bySeed;
  if (first === undefined) return null;
  const shared = [...first.keys()].filter((each) => bySeed.every((seed) => seed.has(each)));
  const shares = new Map(
    shared.map((temperature) => [
      temperature,
      bySeed.map((seed) => shareSolved(seed.get(temperature) ?? [])),
    ]),
  );
  const total = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0);
  const ranked = [...shares].toSorted(([, a], [, b]) => total(b) - total(a));
  const [top] = ranked;
  const greedy = shares.get(0);
  if (top === undefined || greedy === undefined) return null;
  return { best: top[1], bestTemperature: top[0], greedy };
}
