/**
 * The back end in use and the adapters resident on it. A back end whose device is gone is replaced
 * by a fresh one from the factory, and what was open on it is opened again when it is next needed.
 * It knows no sequence and no job.
 */
import type { Adapter } from "@waggle/model";
import { WaggleError } from "@waggle/protocol";
import type { ClientDescription, PolicyVersionId } from "@waggle/protocol";
import type { BackendMemory, DecoderBackend, DecoderSession } from "../backend/decoder-backend.ts";

/** Opens a back end of the base model: at first, and after the device was lost. */
export type OpenBackend = () => Promise<DecoderBackend>;

/** An adapter at a strength while anything uses it. */
export class ResidentAdapter {
  /** A version of the policy, or the id of an adapter that was loaded. */
  readonly name: PolicyVersionId | string;
  readonly adapter: Adapter | null;
  readonly scale: number;
  /** Sessions and scorings that use it, plus one while it is current or loaded. */
  users = 1;
  /** `null` until it is opened, and after the device was lost. */
  session: DecoderSession | null = null;
  /** What computes under it; set when it is open. */
  fingerprint = "";

  constructor(name: PolicyVersionId | string, adapter: Adapter | null, scale = 1) {
    this.name = name;
    this.adapter = adapter;
    this.scale = scale;
  }
}

const NO_MEMORY: BackendMemory = { weights: 0, adapters: 0, caches: 0, scratch: 0 };

export class DecoderDevice {
  readonly #openBackend: OpenBackend;
  readonly #client: ClientDescription;
  readonly #residents = new Set<ResidentAdapter>();
  #backend: DecoderBackend | null = null;

  constructor(openBackend: OpenBackend, client: ClientDescription) {
    this.#openBackend = openBackend;
    this.#client = client;
  }

  /** Versions of the policy that occupy memory, oldest first. */
  liveVersions(): PolicyVersionId[] {
    const versions: PolicyVersionId[] = [];
    for (const { name } of this.#residents) if (typeof name === "number") versions.push(name);
    return versions;
  }

  /** The youngest resident of a version, `null` when there is none. */
  find(version: PolicyVersionId): ResidentAdapter | null {
    let found: ResidentAdapter | null = null;
    for (const resident of this.#residents) if (resident.name === version) found = resident;
    return found;
  }

  memory(): BackendMemory {
    return this.#backend?.memory() ?? NO_MEMORY;
  }

  /** @throws WaggleError `ADAPTER_INCOMPATIBLE`, or what the factory throws. */
  async open(resident: ResidentAdapter): Promise<DecoderSession> {
    if (resident.session !== null) return resident.session;
    this.#backend ??= await this.#openBackend();
    const { dtype, kernels } = this.#backend;
    resident.session = await this.#backend.open(resident.adapter, resident.scale);
    resident.fingerprint = this.#fingerprint(resident, kernels, dtype);
    this.#residents.add(resident);
    return resident.session;
  }

  /** Frees what it occupies; its caches are freed before. */
  async release(resident: ResidentAdapter): Promise<void> {
    this.#residents.delete(resident);
    const { session } = resident;
    resident.session = null;
    await session?.release();
  }

  /** Gives up a back end whose device is gone. */
  async abandon(): Promise<void> {
    const backend = this.#backend;
    this.#backend = null;
    for (const resident of this.#residents) resident.session = null;
    // What is left of a lost device may fail in any way; there is nothing to free on it.
    await backend?.dispose().catch(() => undefined);
  }

  /** Releases every adapter, then the back end. */
  async dispose(): Promise<void> {
    for (const resident of this.#residents) await this.release(resident);
    const backend = this.#backend;
    this.#backend = null;
    await backend?.dispose();
  }

  /** Build, back end, device, kernels, number format, and the adapter with its strength. */
  #fingerprint(resident: ResidentAdapter, kernels: string, dtype: string): string {
    const { build, backend, device } = this.#client;
    const adapter =
      typeof resident.name === "number"
        ? `version ${resident.name}`
        : `adapter ${resident.name.slice(0, 64)} x${resident.scale}`;
    const computes = `${build} ${backend} ${device.slice(0, 64)} ${kernels} ${dtype}`;
    return `${computes.slice(0, 200)}; ${adapter}`;
  }
}

/** True for the error of a device that is gone. */
export function isDeviceLost(error: unknown): boolean {
  return WaggleError.is(error, "DEVICE_LOST");
}
