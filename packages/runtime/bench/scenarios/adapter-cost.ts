/** Milliseconds per token with and without an adapter of rank 16, for each backend. */
import { sizeLabel } from "../bench-models.ts";
import type { BenchModelName } from "../bench-models.ts";
import type { AdapterCostOptions, AdapterCostResult } from "../page/adapter-cost.ts";
import { benchRow } from "../row.ts";
import type { BenchRow } from "../row.ts";
import type { BenchContext, Scenario } from "../scenario.ts";

export const adapterCost: Scenario = {
  name: "adapter-cost",
  description: "milliseconds per token with an active adapter, and per swap",
  run: async function* (context) {
    yield* await rows(context, "nano", "wasm", "merge");
    yield* await rows(context, "nano", "wasm", "inputs");
    yield* await rows(context, "small", "wasm", "inputs");
    yield* await rows(context, "micro", "webgpu", "inputs");
  },
};

async function rows(
  { quick, report, page }: BenchContext,
  model: BenchModelName,
  device: "wasm" | "webgpu",
  adapterStrategy: "merge" | "inputs",
): Promise<BenchRow[]> {
  report(`adapter of ${model} on ${device}, ${adapterStrategy}`);
  const opened = await page();
  const options: AdapterCostOptions = {
    model,
    device,
    adapterStrategy,
    threads: 1,
    rounds: quick ? 1 : device === "wasm" ? 7 : 3,
    count: device === "wasm" ? 128 : 24,
  };
  const result = await opened.measure<AdapterCostResult>("adapter-cost", options);
  await opened.close();
  const label = `${device} ${adapterStrategy} ${model} ${sizeLabel(model)}`;
  return [
    benchRow({
      name: `adapter ${label} rank 16, per token`,
      ours: result.withAdapter / options.count,
      peer: result.without / options.count,
      peerName: "no adapter",
      unit: "ms/token",
      agree: result.agree,
    }),
    benchRow({
      name: `adapter ${label} rank 16, swap`,
      ours: result.swapMs,
      peer: result.without / options.count,
      peerName: "one token without an adapter",
      unit: "ms",
      agree: result.agree,
    }),
  ];
}
