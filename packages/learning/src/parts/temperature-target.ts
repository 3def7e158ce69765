/** `temp-target`: the sampling temperature follows the entropy that was measured in the last step. */
import type { FilterPart, RewardedGroup } from "../composition/part.ts";
import type { SchedulePart } from "../composition/stage.ts";
import { kept, type StatePart } from "../composition/state.ts";
import { nextTemperature, type TemperatureControl } from "../schedules/temperature-target.ts";
import { filterPart } from "./filter-part.ts";

/** Where it stands; what sampling begins with. */
export function temperature(start = 1): StatePart<"temperature"> {
  return kept("temperature", () => start);
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
