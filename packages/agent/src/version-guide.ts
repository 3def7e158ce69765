/**
 * The guide of a published version. It chooses a case by a key, so that a replay with the same guidance
 * and key (as in the trainer) reads the same case and gets the same tokens.
 */
import { guidanceReading, readingText } from "@waggle/learning";
import { type Guidance, textFraction } from "@waggle/protocol";
import type { Guide } from "./guided-environment.ts";

/** @param key - identifies the rollout: its assignment id, or any text if it will not be replayed. */
export function versionGuide(guidance: Guidance, key: string): Guide {
  return {
    start: (request) =>
      readingText(guidanceReading(guidance, request, textFraction(`${key}\n${request}`))),
  };
}
