/**
 * Runs a model once and sends how long that took and how much memory. It is a separate process, because the conversion before it
 * leaves data in memory. `speed-process <folder> <format> <prompt tokens> <sampled tokens>`.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseDecoderConfig, type WeightFormat } from "@waggle/model";
import { FULL_SUPPORT, WaggleError } from "@waggle/protocol";
import { createNodePolicy, openModelFolder } from "@waggle/runtime/node";
import type { SpeedMessage, SpeedRun } from "./model-speed.ts";

const [folder = "", dtype, prompt, sampled] = process.argv.slice(2);

async function measure(promptTokens: number, sampledTokens: number): Promise<SpeedRun> {
  const config = parseDecoderConfig(JSON.parse(readFileSync(join(folder, "config.json"), "utf8")));
  const files = await openModelFolder(folder);
  const startBytes = process.memoryUsage.rss();
  const policy = await createNodePolicy({
    config,
    weights: await files.weights(),
    // A measurement records nothing, so the identity of the files is not needed.
    baseModel: createHash("sha256").update(folder).digest("hex"),
    dtype: dtype as WeightFormat,
    contextLength: promptTokens + sampledTokens + 1,
  });
  const generate = async (context: typeof first, maxTokens: number): Promise<number> => {
    const start = performance.now();
    await context.generate({
      sampling: { ...FULL_SUPPORT, seed: 1 },
      stopTokenIds: [],
      maxTokens,
    });
    return (performance.now() - start) / 1000;
  };
  // The first run also prepares the graphs.
  const first = await policy.createContext();
  first.append([0]);
  await generate(first, 1);
  const loadedBytes = process.memoryUsage.rss();
  const context = await policy.createContext();
  context.append(Array.from({ length: promptTokens }, (_, i) => i % config.vocabularySize));
  const reading = await generate(context, 1);
  const writing = await generate(context, sampledTokens);
  await policy.dispose();
  return {
    read: promptTokens / reading,
    written: sampledTokens / writing,
    startBytes,
    loadedBytes,
    peakBytes: peakBytes(),
  };
}

/** Most resident memory of this process. On Linux, `maxRSS` is also that of the process that started this one. */
function peakBytes(): number {
  const status = process.platform === "linux" ? readFileSync("/proc/self/status", "utf8") : "";
  const kibibytes = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1];
  return 1024 * Number(kibibytes ?? process.resourceUsage().maxRSS);
}

const message: SpeedMessage = await measure(Number(prompt), Number(sampled)).catch(
  (error: unknown) => ({
    code: WaggleError.is(error) ? error.code : null,
    message: error instanceof Error ? error.message : String(error),
  }),
);
// The command may have been stopped meanwhile.
if (process.connected) process.send?.(message);
