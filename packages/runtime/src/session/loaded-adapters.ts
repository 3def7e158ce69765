/** Adapters kept resident besides the versions, each at the scales that sessions use. */
import type { Adapter } from "@waggle/model";
import { WaggleError } from "@waggle/protocol";
import { ResidentAdapter } from "./decoder-device.ts";

type Loaded = {
  readonly adapter: Adapter | null;
  /** By scale. The one at 1 is held as long as the adapter is loaded. */
  readonly strengths: Map<number, ResidentAdapter>;
};

export class LoadedAdapters {
  readonly #unpin: (resident: ResidentAdapter) => Promise<void>;
  readonly #byId = new Map<string, Loaded>();

  constructor(unpin: (resident: ResidentAdapter) => Promise<void>) {
    this.#unpin = unpin;
  }

  /** @throws WaggleError `INVALID_ARGUMENT` if the id is taken. */
  assertFree(adapterId: string): void {
    if (adapterId === "" || this.#byId.has(adapterId)) {
      throw new WaggleError(
        "INVALID_ARGUMENT",
        adapterId === ""
          ? "an adapter needs an id"
          : `an adapter "${adapterId}" is already loaded; unload it first`,
      );
    }
  }

  /** @param resident - open, at scale 1. */
  add(resident: ResidentAdapter): void {
    const strengths = new Map([[resident.scale, resident]]);
    this.#byId.set(String(resident.name), { adapter: resident.adapter, strengths });
  }

  async remove(adapterId: string): Promise<void> {
    const held = this.#require(adapterId).strengths.get(1);
    this.#byId.delete(adapterId);
    if (held !== undefined) await this.#unpin(held);
  }

  /** Takes it for a session. At a new scale, it is opened when first used. */
  pin(adapterId: string, scale: number): ResidentAdapter {
    const { adapter, strengths } = this.#require(adapterId);
    if (!Number.isFinite(scale)) {
      throw new WaggleError(
        "INVALID_ARGUMENT",
        `an adapter's scale must be a finite number, got ${scale}; 1 is as trained`,
      );
    }
    const resident = strengths.get(scale);
    if (resident !== undefined) {
      resident.users++;
      return resident;
    }
    const opened = new ResidentAdapter(adapterId, adapter, scale);
    strengths.set(scale, opened);
    return opened;
  }

  /** Forgets a scale that is no longer used. */
  drop(resident: ResidentAdapter): void {
    const strengths = this.#byId.get(String(resident.name))?.strengths;
    if (strengths?.get(resident.scale) === resident) strengths.delete(resident.scale);
  }

  #require(adapterId: string): Loaded {
    const loaded = this.#byId.get(adapterId);
    if (loaded !== undefined) return loaded;
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `no adapter "${adapterId}" among ${[...this.#byId.keys()].join(", ") || "none"}; call loadAdapter first`,
    );
  }
}
