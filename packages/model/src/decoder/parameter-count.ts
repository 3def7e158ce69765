/** How large a model is. */
import type { DecoderConfig } from "./decoder-config.ts";
import { decoderParameters } from "./decoder-parameters.ts";
import { elementCount } from "../shape.ts";

/** How many numbers the parameters hold. */
export function parameterCount(config: DecoderConfig): number {
  return decoderParameters(config).reduce((sum, { shape }) => sum + elementCount(shape), 0);
}
