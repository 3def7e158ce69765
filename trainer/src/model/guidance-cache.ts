/**
 * Guidance of published versions by content hash, fetched from the edge once and checked against its
 * hash.
 */
import {
  type Guidance,
  type GuidanceReference,
  readGuidance,
  sha256,
  WaggleError,
} from "@waggle/protocol";

/** Guidance by the hash of its file. */
export interface GuidanceCache {
  get(reference: GuidanceReference): Promise<Guidance>;
}

/** Creates a cache that downloads from the edge. */
export function createGuidanceCache(
  download: (sha256: string) => Promise<Uint8Array>,
): GuidanceCache {
  const loaded = new Map<string, Guidance>();
  return {
    async get(reference) {
      const known = loaded.get(reference.sha256);
      if (known !== undefined) return known;
      const bytes = await download(reference.sha256);
      if ((await sha256(bytes)) !== reference.sha256) {
        throw new WaggleError(
          "DIGEST_MISMATCH",
          `the edge returned other bytes for guidance ${reference.sha256}: the hash does not match; publish the guidance again`,
        );
      }
      const guidance = readGuidance(bytes);
      loaded.set(reference.sha256, guidance);
      return guidance;
    },
  };
}
