/**
 * Decoding on WebGPU as the context grows to 6k. Attention reads all keys and values, so a step
 * must grow. Attention's growth, measured alone on the same device, is subtracted from both sides;
 * the rest is due to copies and allocations.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { lineChart } from "../../../../trainer/src/charts/line-chart.ts";
import type { GrowthOptions, GrowthResult } from "../page/context-growth.ts";
import { benchRow } from "../row.ts";
import type { Scenario } from "../scenario.ts";

const PICTURE = join(import.meta.dirname, "../../../../docs/evidence/runtime-context.svg");

export const contextGrowth: Scenario = {
  name: "context-growth",
  description: "milliseconds per token on WebGPU at contexts of 0.5k to 6k, and a plot",
  run: async function* ({ quick, report, page }) {
    const contexts = quick ? [256, 512, 768] : [512, 1024, 1536, 2048, 3072, 4096, 5120, 6144];
    const options: GrowthOptions = {
      model: "long",
      contexts,
      count: quick ? 4 : 8,
      rounds: quick ? 1 : 4,
    };
    report(`contexts ${contexts.join(", ")}`);
    const opened = await page();
    const result = await opened.measure<GrowthResult>("context-growth", options);
    await opened.close();
    if (!quick) await writeFile(PICTURE, await growthChart(contexts, result));
    const least = quick ? 256 : 2048;
    const [from, to] = [contexts.indexOf(least), contexts.length - 1];
    const growth = (times: readonly number[]): number => {
      const own = (result.attention[to] ?? 0) - (result.attention[from] ?? 0);
      return ((times[to] ?? Number.NaN) - own) / (times[from] ?? Number.NaN);
    };
    for (const [i, context] of contexts.entries()) {
      yield benchRow({
        name: `webgpu long, context ${context}`,
        ours: result.ours[i] ?? Number.NaN,
        peer: result.peer[i] ?? Number.NaN,
        peerName: result.peerName,
        unit: "ms/token",
        agree: result.agree,
      });
    }
    yield benchRow({
      name: `webgpu long, step at ${contexts[to]} against ${least} without attention's own growth`,
      ours: growth(result.ours),
      peer: growth(result.peer),
      peerName: result.peerName,
      unit: "times",
      agree: result.agree,
    });
  },
};

/** Milliseconds per token over the context. */
function growthChart(
  contexts: readonly number[],
  { ours, peer, attention }: Pick<GrowthResult, "ours" | "peer" | "attention">,
): Promise<string> {
  const line = (name: string, values: readonly number[]) => ({
    name,
    points: values.map((value, i) => [contexts[i] as number, value] as const),
  });
  return lineChart(
    "Decoding on WebGPU (SwiftShader)",
    { x: "tokens in the context", y: "ms per token" },
    [line("Waggle", ours), line("Transformers.js", peer), line("attention alone", attention)],
  );
}
