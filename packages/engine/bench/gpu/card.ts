/** The card that computes: its name in its driver's words, and what of its memory is taken. */
import { execFileSync } from "node:child_process";
import { webGpuAdapter } from "../../src/onnx/webgpu-adapter.ts";

export async function cardName(provider: "cuda" | "webgpu"): Promise<string> {
  if (provider === "cuda") return nvidia("name,driver_version,memory.total") ?? "an unnamed card";
  const adapter = await webGpuAdapter();
  return `${adapter?.name}, ${adapter?.description}`;
}

/** @returns bytes of the first NVIDIA card that all its processes take, null where there is none. */
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
