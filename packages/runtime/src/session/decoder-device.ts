/**
 * The current backend and the adapters resident on it. A backend whose device is lost is replaced
 * by a new one from the factory, and its adapters are opened again when needed. It does not handle
 * sequences or jobs.
 */
import type { Adapter } from "@waggle/model";
import { WaggleError } from "@waggle/protocol";
import type { ClientDescription, PolicyVersionId } from "@waggle/protocol";
import type { BackendMemory, DecoderBackend, DecoderSession } from "../backend/decoder-backend.ts";

/** Opens a backend of the base model: initially, and after the device was lost. */
export type OpenBackend = () => Promise<DecoderBackend>;

/** An adapter at a scale, while anything uses it. */
export class ResidentAdapter {
  /** A version of the policy, or the id of a loaded adapter. */
  readonly name: PolicyVersionId | string;
  readonly adapter: Adapter | null;
  readonly scale: number;
  /** Number of sessions and scorings that use it, plus one while it is current or loaded. */
  users = 1;
  /** `null` until it is opened, and after the device was lost. */
  session: DecoderSession | null = null;
  /** What computes with it; set when it is opened. */
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

  /** Versions of the policy in memory, oldest first. */
  liveVersions(): PolicyVersionId[] {
    const versions: PolicyVersionId[] = [];
    for (const { name } of this.#residents) if (typeof name === "number") versions.push(name);
    return versions;
  }

  /** The latest resident of a version, `null` if there is none. */
  find(version: PolicyVersionId): ResidentAdapter | null {
    let found: ResidentAdapter | null = null;
    for (const resident of this.#residents) if (resident.name === version) found = resident;
    return found;
  }

  memory(): BackendMemory {
    return this.#backend?.memory() ?? NO_MEMORY;
  }

  /** @throws WaggleError `ADAPTER_INCOMPATIBLE`, or the factory's error. */
  async open(resident: ResidentAdapter): Promise<DecoderSession> {
    if (resident.session !== null) return resident.session;
    this.#backend ??= await this.#openBackend();
    const { dtype, kernels } = this.#backend;
    resident.session = await this.#backend.open(resident.adapter, resident.scale);
    resident.fingerprint = this.#fingerprint(resident, kernels, dtype);
    this.#residents.add(resident);
    return resident.session;
  }

  /** Frees its memory. Its caches must have been freed before. */
  async release(resident: ResidentAdapter): Promise<void> {
    this.#residents.delete(resident);
    const { session } = resident;
    resident.session = null;
    await session?.release();
  }

  /** Gives up a backend whose device is lost. */
  async abandon(): Promise<void> {
    const backend = this.#backend;
    this.#backend = null;
    for (const resident of this.#residents) resident.session = null;
    // The rest of a lost device may fail in any way, and nothing on it needs freeing.
    await backend?.dispose().catch(() => undefined);
  }

  /** Releases every adapter, then the backend. */
  async dispose(): Promise<void> {
    for (const resident of this.#residents) await this.release(resident);
    const backend = this.#backend;
    this.#backend = null;
    await backend?.dispose();
  }

  /** Build, backend, device, kernels, number format, and the adapter with its scale. */
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

/** Whether the error means that the device is lost. */
export function isDeviceLost(error: unknown): boolean {
  return WaggleError.is(error, "DEVICE_LOST");
}
