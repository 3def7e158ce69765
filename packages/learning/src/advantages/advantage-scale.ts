/** What the advantages of a group are divided by, as a setting. */
import { type AnyPart, type PartOption, definePart } from "../composition/part-options.ts";
import type { GroupAdvantageOptions } from "./group-advantage-options.ts";

/** `population` and `sample` are standard deviations: Σ(r − mean)² over G, or over G − 1. */
type Scale = "population" | "sample" | "none";

const SCALES: readonly Scale[] = ["population", "sample", "none"];

/** `make` with these options; the scale is open where they do not say it. */
export function withScale<
  O extends Pick<GroupAdvantageOptions, "scale" | "convention">,
  P extends AnyPart,
>(
  options: O | undefined,
  make: (scaled: O & Pick<GroupAdvantageOptions, "scale" | "convention">) => P,
): P {
  return definePart({ scale: scaleOption(options) }, ({ scale }) => make(scaledBy(scale, options)));
}

/** Open where no options are given: GRPO's deviation, of the population. */
function scaleOption(
  given: Pick<GroupAdvantageOptions, "scale" | "convention"> = {},
): PartOption<Scale> {
  const { scale, convention = "population" } = given;
  return {
    value: scale === "none" ? "none" : convention,
    isOpen: scale === undefined,
    choices: SCALES,
  };
}

/** The options with this scale in them. */
function scaledBy<O extends Pick<GroupAdvantageOptions, "scale" | "convention">>(
  scale: Scale,
  options: O = {} as O,
): O & Pick<GroupAdvantageOptions, "scale" | "convention"> {
  if (scale === "none") return { ...options, scale };
  return { ...options, scale: "std", convention: scale };
}
