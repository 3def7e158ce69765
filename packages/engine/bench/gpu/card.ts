/** The GPU under test: its name as the driver reports it, and how much of its memory is in use. */
import { execFileSync } from "node:child_process";
import { webGpuAdapter } from "../../src/onnx/webgpu-adapter.ts";

/** @returns name, driver and memory (CUDA), or the WebGPU adapter's name and description. */
export async function cardName(provider: "cuda" | "webgpu"): Promise<string> {
  if (provider === "cuda") return nvidia("name,driver_version,memory.total") ?? "an unnamed card";
  const adapter = await webGpuAdapter();
  return `${adapter?.name}, ${adapter?.description}`;
}

/** @returns bytes in use on the first NVIDIA GPU, by all processes; null without one. */
export function cardBytesTaken(): number | null {
  const megabytes = Number(nvidia("memory.used")?.replace(/ MiB$/, "") ?? Number.NaN);
  return Number.isFinite(megabytes) ? megabytes * 2 ** 20 : null;
}

function nvidia(members: string): string | undefined {
  try {
    const query = [`--query-gpu=${members}`, "--format=csv,noheader"];
    const text = execFileSync("nvidia-smi", query, {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    return text.trim().split("\n")[0];
  } catch {
    return undefined;
  }
}
