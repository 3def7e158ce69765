/**
 * Decides which quantized models are expanded to float32 on a CPU, where float32 products are
 * faster.
 */
import { parameterCount } from "@waggle/model";
import type { DecoderConfig } from "@waggle/model";

/** Whether this model is. */
export function hasRoomExpanded(
  config: DecoderConfig,
  deviceMemory: number = deviceGigabytes(),
): boolean {
  return 4 * parameterCount(config) <= maxExpandedBytes(deviceMemory);
}

/**
 * Maximum size of the weights in float32: 350 M parameters, and at most a fifth of the device memory that the browser
 * reports, because loading takes 2.5 times the weights.
 *
 * @param deviceMemory - in GB.
 */
export function maxExpandedBytes(deviceMemory: number): number {
  return Math.min(1.4e9, (deviceMemory * 2 ** 30) / 5);
}

/** Infinity if unknown. */
function deviceGigabytes(): number {
  return (globalThis.navigator as { deviceMemory?: number } | undefined)?.deviceMemory ?? Infinity;
}
