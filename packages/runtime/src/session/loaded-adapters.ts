/** Adapters that stay resident beside the versions, each at the strengths that sessions ask for. */
import type { Adapter } from "@waggle/model";
import { WaggleError } from "@waggle/protocol";
import { ResidentAdapter } from "./decoder-device.ts";

type Loaded = {
  readonly adapter: Adapter | null;
  /** By strength. The one at 1 is held while it is loaded. */
  readonly strengths: Map<number, ResidentAdapter>;
};

export class LoadedAdapters {
  readonly #unpin: (resident: ResidentAdapter) => Promise<void>;
  readonly #byId = new Map<string, Loaded>();

  constructor(unpin: (resident: ResidentAdapter) => Promise<void>) {
    this.#unpin = unpin;
  }

  /** @throws WaggleError `INVALID_ARGUMENT` when the id is taken. */
  assertFree(adapterId: string): void {
    if (adapterId === "" || this.#byId.has(adapterId)) {
      throw new WaggleError(
        "INVALID_ARGUMENT",
        `an adapter's id must be new and not empty, got "${adapterId}"; unload the other one first`,
      );
    }
  }

  /** @param resident - open, at strength 1. */
  add(resident: ResidentAdapter): void {
    const strengths = new Map([[resident.scale, resident]]);
    this.#byId.set(String(resident.name), { adapter: resident.adapter, strengths });
  }

  async remove(adapterId: string): Promise<void> {
    const held = this.#require(adapterId).strengths.get(1);
    this.#byId.delete(adapterId);
    if (held !== undefined) await this.#unpin(held);
  }

  /** Takes it for a session; at a strength of its own it is opened when it is first used. */
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

  /** Forgets a strength that nobody uses any more. */
  drop(resident: ResidentAdapter): void {
    const strengths = this.#byId.get(String(resident.name))?.strengths;
    if (strengths?.get(resident.scale) === resident) strengths.delete(resident.scale);
  }

  #require(adapterId: string): Loaded {
    const loaded = this.#byId.get(adapterId);
    if (loaded !== undefined) return loaded;
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `an adapter must be loaded, got "${adapterId}" where ${[...this.#byId.keys()].join(", ") || "none"} are; call loadAdapter first`,
    );
  }
}
