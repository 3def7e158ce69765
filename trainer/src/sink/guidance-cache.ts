/** Guidance of published versions by content hash: from the edge once, then from memory. What is read is checked. */
import {
  type Guidance,
  type GuidanceReference,
  readGuidance,
  sha256,
  WaggleError,
} from "@waggle/protocol";

export interface GuidanceCache {
  get(reference: GuidanceReference): Promise<Guidance>;
}

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
          `object ${reference.sha256} must have that hash, got other bytes from the edge; publish the guidance again`,
        );
      }
      const guidance = readGuidance(bytes);
      loaded.set(reference.sha256, guidance);
      return guidance;
    },
  };
}
