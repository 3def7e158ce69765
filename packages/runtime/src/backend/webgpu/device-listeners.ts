/**
 * The memory count and command tap of a GPU device, one each for all backends on it, which run in
 * turns. The last backend destroys the device.
 */
import { CommandTap } from "./command-tap.ts";
import { GpuMemory } from "./gpu-memory.ts";

const JOINED = new WeakMap<GPUDevice, DeviceListeners>();

export class DeviceListeners {
  readonly memory: GpuMemory;
  readonly tap: CommandTap;
  readonly #device: GPUDevice;
  #users = 0;

  private constructor(device: GPUDevice) {
    this.#device = device;
    this.memory = new GpuMemory(device);
    this.tap = new CommandTap(device);
  }

  /** Adds a backend to the device's users. It must call `leave` when it is disposed of. */
  static join(device: GPUDevice): DeviceListeners {
    const listeners = JOINED.get(device) ?? new DeviceListeners(device);
    JOINED.set(device, listeners);
    listeners.#users++;
    return listeners;
  }

  /** Whether a backend uses the device, so that it must not be destroyed. */
  static hasUsers(device: GPUDevice): boolean {
    const listeners = JOINED.get(device);
    return listeners !== undefined && listeners.#users > 0;
  }

  leave(): void {
    if (--this.#users === 0) this.#device.destroy();
  }
}
