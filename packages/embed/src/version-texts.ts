/** Guidance of the versions that a page has run, so that each rollout reads that of its own version. */
import type { Guide } from "@waggle/agent";
import type { GuidanceReference, PolicyVersion, PolicyVersionId } from "@waggle/protocol";

/** Versions whose guidance is kept. Running rollouts use one of the most recent. */
const KEPT = 8;

type VersionText = { readonly sha256: string; readonly guide: (key: string) => Guide };

/** Guidance by policy version. */
export class VersionTexts {
  readonly #load: (reference: GuidanceReference) => Promise<Uint8Array>;
  readonly #versions = new Map<PolicyVersionId, VersionText | null>();

  /** @param load - returns bytes whose hash was verified. */
  constructor(load: (reference: GuidanceReference) => Promise<Uint8Array>) {
    this.#load = load;
  }

  /** Loads the version's guidance. @throws if it cannot be loaded or is invalid. */
  async add({ version, guidance: reference }: PolicyVersion): Promise<void> {
    let entry: VersionText | null = null;
    if (reference !== undefined) {
      const { openGuidance } = await import("./version-guidance.ts");
      const guide = openGuidance(await this.#load(reference));
      entry = { sha256: reference.sha256, guide };
    }
    this.#versions.delete(version);
    this.#versions.set(version, entry);
    const [oldest] = this.#versions.keys();
    if (this.#versions.size > KEPT && oldest !== undefined) this.#versions.delete(oldest);
  }

  /** Guidance that a rollout under this version reads first; `null` for none. */
  guide(version: PolicyVersionId, key: string): Guide | null {
    return this.#versions.get(version)?.guide(key) ?? null;
  }

  /** Whether the guidance of two versions starts a request with the same text. */
  startsAlike(from: PolicyVersionId, to: PolicyVersionId): boolean {
    return this.#versions.get(from)?.sha256 === this.#versions.get(to)?.sha256;
  }
}
