/** The size of a model. */
import type { DecoderConfig } from "./decoder-config.ts";
import { decoderParameters } from "./decoder-parameters.ts";
import { elementCount } from "../shape.ts";

/** Number of numbers in all parameters. */
export function parameterCount(config: DecoderConfig): number {
  return decoderParameters(config).reduce((sum, { shape }) => sum + elementCount(shape), 0);
}
