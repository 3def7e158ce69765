/** The PyTorch peer: finds an interpreter that has PyTorch and writes a decoder's weights out for it. */
import { execFileSync } from "node:child_process";
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TensorSource } from "@waggle/model";
import type { TensorMap } from "@waggle/protocol";
import { startPythonPeer } from "./peer-process.ts";
import type { PeerProcess } from "./peer-process.ts";
import { batchOf, LEARNING_RATE } from "./step-shapes.ts";
import type { StepShape } from "./step-shapes.ts";

export type TorchPeer = PeerProcess & { readonly cleanUp: () => void };

export type TorchStep = {
  readonly shape: StepShape;
  /** In the order in which gradients are returned. */
  readonly weights: TensorSource;
  /** Scale is alpha / rank. If given, only the adapter's tensors are trained. */
  readonly adapter?: { readonly tensors: TensorMap; readonly scale: number };
  readonly device: "cpu" | "cuda";
};

/** @returns an interpreter whose PyTorch supports the device; undefined without one. */
export function findTorch(device: TorchStep["device"]): string | undefined {
  const program =
    device === "cpu" ? "import torch" : "import torch; assert torch.cuda.is_available()";
  return ["python3", "/usr/bin/python3"].find((python) => {
    try {
      execFileSync(python, ["-c", program], { stdio: "ignore" });
      return true;
    } catch {
      return false;
    }
  });
}

export async function startTorch(
  interpreter: string,
  { shape, weights, adapter, device }: TorchStep,
): Promise<TorchPeer> {
  const folder = mkdtempSync(join(tmpdir(), "waggle-torch-"));
  const file = join(folder, "weights");
  const parameters: { readonly name: string; readonly shape: readonly number[] }[] = [];
  const write = (name: string, tensor: { shape: readonly number[]; data: Float32Array }): void => {
    const { buffer, byteOffset, byteLength } = tensor.data;
    appendFileSync(file, new Uint8Array(buffer, byteOffset, byteLength));
    parameters.push({ name, shape: tensor.shape });
  };
  for (const name of weights.tensors.keys()) write(name, await weights.read(name));
  for (const [name, tensor] of adapter?.tensors ?? []) write(name, tensor);
  const given = {
    config: shape.config,
    batch: batchOf(shape).map(({ tokenIds }) => tokenIds),
    learningRate: LEARNING_RATE,
    loraScale: adapter?.scale ?? null,
    parameters,
    weights: file,
    device,
  };
  writeFileSync(join(folder, "step.json"), JSON.stringify(given));
  const peer = await startPythonPeer(interpreter, "torch-peer.py", join(folder, "step.json"));
  return { ...peer, cleanUp: () => rmSync(folder, { recursive: true, force: true }) };
}
