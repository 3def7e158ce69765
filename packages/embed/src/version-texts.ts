/** Guidance of the versions that a page has run, so that each rollout reads that of its own version. */
import { versionGuide } from "@waggle/agent";
import type { Guide } from "@waggle/agent";
import { guidanceReading } from "@waggle/learning";
import type { Guidance, GuidanceReference, PolicyVersion, PolicyVersionId } from "@waggle/protocol";

/** Versions whose guidance is kept. Running rollouts use one of the most recent. */
const KEPT = 8;

/** Guidance by policy version. */
export class VersionTexts {
  readonly #load: (reference: GuidanceReference) => Promise<Uint8Array>;
  readonly #versions = new Map<PolicyVersionId, { sha256: string; guidance: Guidance } | null>();

  /** @param load - returns bytes whose hash was verified. */
  constructor(load: (reference: GuidanceReference) => Promise<Uint8Array>) {
    this.#load = load;
  }

  /** Loads the version's guidance. @throws if it cannot be loaded or is invalid. */
  async add({ version, guidance: reference }: PolicyVersion): Promise<void> {
    let entry: { sha256: string; guidance: Guidance } | null = null;
    if (reference !== undefined) {
      // Most versions have no guidance, and its schema is large.
      const { readGuidance } = await import("@waggle/protocol/guidance");
      const guidance = readGuidance(await this.#load(reference));
      // Validated here, where the old version can stay, instead of during a visitor's request.
      guidanceReading(guidance, "", 0);
      entry = { sha256: reference.sha256, guidance };
    }
    this.#versions.delete(version);
    this.#versions.set(version, entry);
    const [oldest] = this.#versions.keys();
    if (this.#versions.size > KEPT && oldest !== undefined) this.#versions.delete(oldest);
  }

  /** Guidance that a rollout under this version reads first; `null` for none. */
  guide(version: PolicyVersionId, key: string): Guide | null {
    const entry = this.#versions.get(version) ?? null;
    return entry === null ? null : versionGuide(entry.guidance, key);
  }

  /** Whether the guidance of two versions starts a request with the same text. */
  startsAlike(from: PolicyVersionId, to: PolicyVersionId): boolean {
    return this.#versions.get(from)?.sha256 === this.#versions.get(to)?.sha256;
  }
}
