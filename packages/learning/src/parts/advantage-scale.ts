/** What advantages of a group are divided by, as one word that a setting may say. */
import type { GroupAdvantageOptions } from "../advantages/group-advantages.ts";
import type { Dial } from "../composition/making.ts";

/** `population` and `sample` are standard deviations: Σ(r − mean)² over G, or over G − 1. */
export type Scale = "population" | "sample" | "none";

const SCALES: readonly Scale[] = ["population", "sample", "none"];

/** Open where no options are given: GRPO's deviation, of the population. */
export function scaleDial(
  given: Pick<GroupAdvantageOptions, "scale" | "convention"> = {},
): Dial<Scale> {
  const { scale, convention = "population" } = given;
  return {
    value: scale === "none" ? "none" : convention,
    isOpen: scale === undefined,
    choices: SCALES,
  };
}

/** The options with this scale in them. */
export function scaledBy<O extends Pick<GroupAdvantageOptions, "scale" | "convention">>(
  scale: Scale,
  options: O = {} as O,
): O & Pick<GroupAdvantageOptions, "scale" | "convention"> {
  if (scale === "none") return { ...options, scale };
  return { ...options, scale: "std", convention: scale };
}
