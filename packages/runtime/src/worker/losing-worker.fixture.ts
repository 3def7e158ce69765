/**
 * The WebGPU worker with devices that a page can lose: on the channel `lose-device` it posts
 * "opened" for each device, and any message to it destroys the latest. Tests only.
 */
import "./webgpu.ts";

const channel = new BroadcastChannel("lose-device");
const { gpu } = navigator;
const requestAdapter = gpu.requestAdapter.bind(gpu);
gpu.requestAdapter = async (options) => {
  const adapter = await requestAdapter(options);
  if (adapter === null) return null;
  const requestDevice = adapter.requestDevice.bind(adapter);
  adapter.requestDevice = async (descriptor) => {
    const device = await requestDevice(descriptor);
    channel.addEventListener("message", () => device.destroy(), { once: true });
    channel.postMessage("opened");
    return device;
  };
  return adapter;
};
