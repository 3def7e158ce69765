/**
 * The guide of a published version. It chooses a case by a key, so that a replay with the same guidance
 * and key (as in the trainer) reads the same case and gets the same tokens.
 */
import { guidanceReading, readingText } from "@waggle/learning";
import type { Guidance } from "@waggle/protocol";
import type { Guide } from "./guided-environment.ts";

/** @param key - identifies the rollout: its assignment id, or any text if it will not be replayed. */
export function versionGuide(guidance: Guidance, key: string): Guide {
  return {
    start: (request) =>
      readingText(guidanceReading(guidance, request, drawOf(`${key}\n${request}`))),
  };
}

/** FNV-1a, mixed to the end (MurmurHash3), in [0, 1). */
function drawOf(text: string): number {
  let hash = 0x81_1c_9d_c5;
  for (let i = 0; i < text.length; i += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01_00_01_93);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85_eb_ca_6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2_b2_ae_35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 0x1_0000_0000;
}
