/** Options of advantages that are relative to a group. */
import type { DeviationConvention } from "../statistics.ts";

/** How advantages of a group are scaled. */
export type GroupAdvantageOptions = {
  /** `none`: r − mean. `std`: (r − mean) / (std + epsilon). Default `none`. */
  readonly scale?: "none" | "std";
  /** Which standard deviation. Default `population`. Ignored without `scale: "std"`. */
  readonly convention?: DeviationConvention;
  /** Added to the standard deviation, in reward units. Default 1e-6. */
  readonly epsilon?: number;
};
