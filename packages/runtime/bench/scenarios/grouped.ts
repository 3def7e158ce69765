/** Groups of rollouts against the same rollouts one after another. */
import { sizeLabel } from "../bench-models.ts";
import type { BenchModelName } from "../bench-models.ts";
import type { GroupMemoryOptions, GroupMemoryResult } from "../page/group-memory.ts";
import type { GroupedOptions, GroupedResult } from "../page/grouped.ts";
import { benchRow } from "../row.ts";
import type { BenchRow } from "../row.ts";
import type { BenchContext, Scenario } from "../scenario.ts";

const SEQUENTIAL = "eight sequential runs";

export const grouped: Scenario = {
  name: "grouped",
  description: "tokens/s of 8 continuations of 512 tokens against eight sequential runs",
  run: async function* (context) {
    yield* await rows(context, "nano", "wasm");
    yield* await rows(context, "small", "wasm");
    yield await memoryRow(context, "nano");
    yield await memoryRow(context, "small");
  },
};

/** A separate scenario, because on a software GPU it takes longer than everything on WASM. */
export const groupedWebgpu: Scenario = {
  name: "grouped-webgpu",
  description: "tokens/s of 8 continuations of 512 tokens against eight sequential runs, on WebGPU",
  run: async function* (context) {
    yield* await rows(context, "micro", "webgpu");
  },
};

async function rows(
  { quick, report, page }: BenchContext,
  model: BenchModelName,
  device: "wasm" | "webgpu",
): Promise<BenchRow[]> {
  report(`group of 8 of ${model} on ${device}`);
  const opened = await page();
  const options: GroupedOptions = {
    model,
    device,
    threads: 1,
    rounds: quick ? 1 : device === "webgpu" ? 3 : 5,
    prefix: 512,
    group: 8,
    count: device === "wasm" ? 128 : 32,
    withPrefills: device === "wasm",
  };
  const result = await opened.measure<GroupedResult>("grouped", options);
  await opened.close();
  const tokens = options.group * options.count;
  const row = (what: string, ours: number, peer: number): BenchRow =>
    benchRow({
      name: `grouped ${device} ${model} ${sizeLabel(model)} p512 G8 d${options.count}, ${what}`,
      ours: (1000 * tokens) / ours,
      peer: (1000 * tokens) / peer,
      peerName: SEQUENTIAL,
      unit: "tokens/s",
      agree: result.agree,
    });
  const decoding = row("decoding alone", result.groupDecodeMs, result.sequentialDecodeMs);
  if (!options.withPrefills) return [decoding];
  return [row("with prefills", result.groupMs, result.sequentialMs), decoding];
}

/** The limit is 1.6 runs, plus the keys and values that the group sampled. */
async function memoryRow({ report, page }: BenchContext, model: BenchModelName): Promise<BenchRow> {
  report(`memory of a group of 8 of ${model}`);
  const opened = await page();
  const options: GroupMemoryOptions = { model, prefix: 512, group: 8, count: 128 };
  const { one, group, continuations } = await opened.measure<GroupMemoryResult>(
    "group-memory",
    options,
  );
  await opened.close();
  const budget = 1.6 * one + continuations;
  return benchRow({
    name: `grouped wasm ${model} p512 G8 d128, peak memory`,
    ours: group / 2 ** 20,
    peer: budget / 2 ** 20,
    peerName: "1.6 of one run + keys and values of the continuations",
    unit: "MiB",
    agree: group <= budget,
  });
}
