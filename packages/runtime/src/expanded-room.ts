/** Which quantized models take the memory of float32 on a CPU, where float32's products are faster. */
import { parameterCount } from "@waggle/model";
import type { DecoderConfig } from "@waggle/model";

/** Whether this one does. */
export function hasRoomExpanded(
  config: DecoderConfig,
  deviceMemory: number = gigabytesHere(),
): boolean {
  return 4 * parameterCount(config) <= mostExpandedBytes(deviceMemory);
}

/**
 * Up to which size of the weights in float32: 350 M parameters, and at most a third of what the browser
 * says that the device has.
 *
 * @param deviceMemory - in GB.
 */
export function mostExpandedBytes(deviceMemory: number): number {
  return Math.min(1.4e9, (deviceMemory * 2 ** 30) / 3);
}

/** Infinity where nobody says. */
function gigabytesHere(): number {
  return (globalThis.navigator as { deviceMemory?: number } | undefined)?.deviceMemory ?? Infinity;
}
