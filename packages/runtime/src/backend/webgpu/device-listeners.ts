/**
 * What listens to a GPU device: the count of its memory and the tap of its commands, one of each for
 * all back ends that run on it, by turns. The last of them destroys the device.
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

  /** Those of a device, for one more back end, which calls `leave` when it is disposed. */
  static join(device: GPUDevice): DeviceListeners {
    const listeners = JOINED.get(device) ?? new DeviceListeners(device);
    JOINED.set(device, listeners);
    listeners.#users++;
    return listeners;
  }

  /** Whether a back end runs on the device, so that it is not destroyed. */
  static hasUsers(device: GPUDevice): boolean {
    const listeners = JOINED.get(device);
    return listeners !== undefined && listeners.#users > 0;
  }

  leave(): void {
    if (--this.#users === 0) this.#device.destroy();
  }
}
