import { expect, test } from "vitest";
import { GpuMemory } from "./gpu-memory.ts";
import { requestWebgpuDevice } from "./webgpu-device.ts";

test("a device that refuses a command counts as lost", async () => {
  const memory = new GpuMemory(await requestWebgpuDevice(navigator.gpu));
  const { device } = memory;
  memory.check();
  const buffer = memory.create("scratch", 16);
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(buffer, 0, buffer, 0, 16);
  device.queue.submit([encoder.finish()]);
  const read = memory.untilLost(new Promise(() => {}));
  await expect(read).rejects.toMatchObject({ code: "DEVICE_LOST", retryable: true });
  expect(() => memory.check()).toThrow("refused a command");
  device.destroy();
});

test("every buffer, including those of other code, is counted by use until it is destroyed", async () => {
  const memory = new GpuMemory(await requestWebgpuDevice(navigator.gpu));
  const [cache] = await memory.allocate("caches", [1000]);
  const foreign = memory.device.createBuffer({ size: 64, usage: GPUBufferUsage.STORAGE });
  expect(memory.bytes()).toEqual({ weights: 0, adapters: 0, caches: 1008, scratch: 64 });
  foreign.destroy();
  cache?.destroy();
  expect(memory.count).toBe(0);
  memory.device.destroy();
});

test("a buffer that the device cannot bind throws OUT_OF_MEMORY", async () => {
  const memory = new GpuMemory(await requestWebgpuDevice(navigator.gpu));
  const size = memory.device.limits.maxStorageBufferBindingSize + 4;
  await expect(memory.allocate("caches", [16, size])).rejects.toMatchObject({
    code: "OUT_OF_MEMORY",
    retryable: true,
  });
  expect(memory.count).toBe(0);
  memory.device.destroy();
});
