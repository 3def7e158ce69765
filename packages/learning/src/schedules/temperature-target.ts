/**
 * `temp-target`: the sampling temperature follows an entropy target, so that exploration neither dies
 * nor runs away: controlled from what was measured.
 *
 * Source: Liu et al. 2025, "AceReason-Nemotron 1.1", arXiv:2506.13284 (temperature-adjusted entropy near
 * 0.3).
 */
import { WaggleError } from "@waggle/protocol";
import type { FilterPart, RewardedGroup } from "../composition/part.ts";
import type { SchedulePart } from "../composition/stage.ts";
import { filterPart } from "../filters/filter-part.ts";

export type TemperatureControl = {
  readonly target: number;
  /** Change of log temperature per nat of error and step. */
  readonly gain: number;
  readonly least: number;
  readonly most: number;
};

/**
 * The next temperature after this entropy was measured at the present one.
 *
 * @throws WaggleError `NON_FINITE_VALUE` where nothing was measured.
 */
export function nextTemperature(
  { target, gain, least, most }: TemperatureControl,
  temperature: number,
  entropy: number,
): number {
  if (!Number.isFinite(entropy)) {
    throw new WaggleError(
      "NON_FINITE_VALUE",
      `a measured entropy must be finite, got ${entropy}; measure it over sampled tokens`,
    );
  }
  const next = temperature * Math.exp(gain * (target - entropy));
  return Math.max(least, Math.min(most, next));
}

/** Mean entropy of the sampled tokens, nats; NaN where there are none. */
export function meanEntropy(groups: readonly RewardedGroup[]): number {
  const entropies = groups.flatMap(({ trajectories }) =>
    trajectories.flatMap(({ trajectory: { samples } }) =>
      samples.flatMap(({ spans }) => spans.flatMap(({ segment }) => [...segment.entropies])),
    ),
  );
  return entropies.reduce((sum, entropy) => sum + entropy, 0) / entropies.length;
}

/** Leaves none out: measures the mean entropy of sampled tokens, and moves the temperature by it. */
export function measuredEntropy(control: TemperatureControl): FilterPart<"temperature"> {
  return filterPart(
    "measured-entropy",
    (groups, { state }) => {
      const next = nextTemperature(control, state.temperature as number, meanEntropy(groups));
      return { groups, dropped: new Map(), state: { temperature: next } };
    },
    { needs: ["temperature"] },
  );
}

/** Samples at the temperature that was found. */
export function temperatureTarget(): SchedulePart {
  return {
    slot: "schedule",
    part: "temp-target",
    at: (settings, { state }) => ({
      ...settings,
      sampling: {
        ...settings.sampling,
        temperature: (state.temperature as number | undefined) ?? settings.sampling.temperature,
      },
    }),
  };
}
