/** The divisor of a group's advantages, as a setting. */
import { type AnyPart, type PartOption, definePart } from "../composition/part-options.ts";
import type { GroupAdvantageOptions } from "./group-advantage-options.ts";

/** `population` and `sample` are standard deviations: Σ(r − mean)² over G, or over G − 1. */
type Scale = "population" | "sample" | "none";

const SCALES: readonly Scale[] = ["population", "sample", "none"];

/** `make` with these options; the scale is an open setting if they do not fix it. */
export function withScale<
  O extends Pick<GroupAdvantageOptions, "scale" | "convention">,
  P extends AnyPart,
>(
  options: O | undefined,
  make: (scaled: O & Pick<GroupAdvantageOptions, "scale" | "convention">) => P,
): P {
  return definePart({ scale: scaleOption(options) }, ({ scale }) => make(scaledBy(scale, options)));
}

/** An open setting if no options are given; its default is GRPO's population deviation. */
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

/** The options with this scale. */
function scaledBy<O extends Pick<GroupAdvantageOptions, "scale" | "convention">>(
  scale: Scale,
  options: O = {} as O,
): O & Pick<GroupAdvantageOptions, "scale" | "convention"> {
  if (scale === "none") return { ...options, scale };
  return { ...options, scale: "std", convention: scale };
}
