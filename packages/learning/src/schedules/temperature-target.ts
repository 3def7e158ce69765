/**
 * `temp-target`: controls the sampling temperature so that the measured entropy stays at a target.
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
  /** Change of the log temperature per step and per nat of error. */
  readonly gain: number;
  readonly least: number;
  readonly most: number;
};

/**
 * The next temperature, from the entropy measured at the current one.
 *
 * @throws WaggleError `NON_FINITE_VALUE` if the entropy is not finite.
 */
export function nextTemperature(
  { target, gain, least, most }: TemperatureControl,
  temperature: number,
  entropy: number,
): number {
  if (!Number.isFinite(entropy)) {
    throw new WaggleError(
      "NON_FINITE_VALUE",
      `the measured entropy is ${entropy}; it must be finite (measure it over sampled tokens)`,
    );
  }
  const next = temperature * Math.exp(gain * (target - entropy));
  return Math.max(least, Math.min(most, next));
}

/** Mean entropy of the sampled tokens in nats; NaN if there are none. */
export function meanEntropy(groups: readonly RewardedGroup[]): number {
  const entropies = groups.flatMap(({ trajectories }) =>
    trajectories.flatMap(({ trajectory: { samples } }) =>
      samples.flatMap(({ spans }) => spans.flatMap(({ segment }) => [...segment.entropies])),
    ),
  );
  return entropies.reduce((sum, entropy) => sum + entropy, 0) / entropies.length;
}

/** A filter that drops nothing: it measures the mean entropy of sampled tokens and updates the temperature. */
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

/** Samples at the current temperature. */
export function temperatureTarget(): SchedulePart {
  return {
    slot: "schedule",
    part: "temp-target",
    readsEntropies: true,
    at: (settings, { state }) => ({
      ...settings,
      sampling: {
        ...settings.sampling,
        temperature: (state.temperature as number | undefined) ?? settings.sampling.temperature,
      },
    }),
  };
}
