/** What stays on the GPU between runs: keys and values, and adapters that are fed as inputs. */
import type { DecoderConfig } from "@waggle/model";
import type { Tensor } from "@waggle/protocol";
import type * as OrtWeb from "onnxruntime-web";

/** Sessions on WebGPU whose keys and values never leave the device. */
export function webgpuSessionOptions(
  config: DecoderConfig,
): OrtWeb.InferenceSession.SessionOptions {
  const locations: { [output: string]: "gpu-buffer" | "cpu" } = { logits: "cpu" };
  for (let layer = 0; layer < config.layers; layer++) {
    locations[`present.${layer}.key`] = "gpu-buffer";
    locations[`present.${layer}.value`] = "gpu-buffer";
  }
  return { executionProviders: ["webgpu"], preferredOutputLocation: locations };
}

/**
 * Uploads tensors to buffers of the device that onnxruntime uses, which exists once a session does.
 * Disposing such a tensor destroys its buffer.
 */
export function gpuPlacer(ort: typeof OrtWeb): (tensor: Tensor) => Promise<OrtWeb.Tensor> {
  return async ({ data, shape }) => {
    const device: GPUDevice = await ort.env.webgpu.device;
    const buffer = device.createBuffer({
      // onnxruntime reads buffers in units of 16 bytes.
      size: Math.ceil(data.byteLength / 16) * 16,
      usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC,
    });
    device.queue.writeBuffer(buffer, 0, data as Float32Array<ArrayBuffer>);
    return ort.Tensor.fromGpuBuffer(buffer, {
      dataType: "float32",
      dims: [...shape],
      dispose: () => buffer.destroy(),
    });
  };
}
