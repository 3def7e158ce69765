/** Guidance of the versions that a page has run, so that each attempt reads what belongs to its version. */
import { versionGuide } from "@waggle/agent";
import type { Guide } from "@waggle/agent";
import { guidanceReading } from "@waggle/learning";
import { readGuidance } from "@waggle/protocol";
import type { Guidance, GuidanceReference, PolicyVersion, PolicyVersionId } from "@waggle/protocol";

/** Versions whose guidance is kept: attempts in progress are under one of the last. */
const KEPT = 8;

export class VersionTexts {
  readonly #load: (reference: GuidanceReference) => Promise<Uint8Array>;
  readonly #versions = new Map<PolicyVersionId, { sha256: string; guidance: Guidance } | null>();

  /** @param load - bytes whose hash was checked. */
  constructor(load: (reference: GuidanceReference) => Promise<Uint8Array>) {
    this.#load = load;
  }

  /** Reads what the version says. @throws where it cannot be had or is not what it must be. */
  async add({ version, guidance: reference }: PolicyVersion): Promise<void> {
    let entry: { sha256: string; guidance: Guidance } | null = null;
    if (reference !== undefined) {
      const guidance = readGuidance(await this.#load(reference));
      // Refused here, where the old version can stay, and not in a visitor's request.
      guidanceReading(guidance, "", 0);
      entry = { sha256: reference.sha256, guidance };
    }
    this.#versions.delete(version);
    this.#versions.set(version, entry);
    const [oldest] = this.#versions.keys();
    if (this.#versions.size > KEPT && oldest !== undefined) this.#versions.delete(oldest);
  }

  /** What an attempt under this version is given to read; `null` for nothing. */
  guide(version: PolicyVersionId, key: string): Guide | null {
    const entry = this.#versions.get(version) ?? null;
    return entry === null ? null : versionGuide(entry.guidance, key);
  }

  /** Whether two versions say the same before a request. */
  startsAlike(from: PolicyVersionId, to: PolicyVersionId): boolean {
    return this.#versions.get(from)?.sha256 === this.#versions.get(to)?.sha256;
  }
}
