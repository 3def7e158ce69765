/** Guidance of a published version. Most versions have none, and its schema is large, so it is loaded on demand. */
import { versionGuide } from "@waggle/agent";
import type { Guide } from "@waggle/agent";
import { guidanceReading } from "@waggle/learning";
import { readGuidance } from "@waggle/protocol/guidance";

/**
 * Validates guidance here, where the old version can stay, instead of during a visitor's request.
 *
 * @returns the guide by key; see `versionGuide`.
 * @throws WaggleError `SCHEMA_INVALID` if it cannot be used.
 */
export function openGuidance(bytes: Uint8Array): (key: string) => Guide {
  const guidance = readGuidance(bytes);
  guidanceReading(guidance, "", 0);
  return (key) => versionGuide(guidance, key);
}
