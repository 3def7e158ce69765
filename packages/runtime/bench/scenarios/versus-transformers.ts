/** Decoding speed against Transformers.js: same graph, same Chromium, same prompt, equal tokens. */
import { sizeLabel } from "../bench-models.ts";
import type { BenchModelName } from "../bench-models.ts";
import type { VersusOptions, VersusResult, VersusWorkload } from "../page/versus-transformers.ts";
import { speedRow } from "../row.ts";
import type { BenchRow } from "../row.ts";
import type { BenchContext, Scenario } from "../scenario.ts";

/** Workloads of a tenth of a second vary more, and are cheap to repeat. */
const ON_WASM: readonly VersusWorkload[] = [
  { promptLength: 64, count: 64, rounds: 24 },
  { promptLength: 256, count: 128, rounds: 6 },
  { promptLength: 512, count: 128, rounds: 6 },
];

export const versusTransformersWasm: Scenario = {
  name: "transformers-wasm",
  description: "tokens/s on WASM against Transformers.js, nano and 15 M",
  run: async function* (context) {
    yield* await rows(context, "nano", "wasm", ON_WASM);
    yield* await rows(context, "small", "wasm", ON_WASM);
  },
};

export const versusTransformersWebgpu: Scenario = {
  name: "transformers-webgpu",
  description: "tokens/s on WebGPU against Transformers.js, micro and nano",
  run: async function* (context) {
    yield* await rows(context, "micro", "webgpu", [{ promptLength: 64, count: 64, rounds: 3 }]);
    yield* await rows(context, "nano", "webgpu", [{ promptLength: 64, count: 24, rounds: 3 }]);
  },
};

async function rows(
  { quick, report, page }: BenchContext,
  model: BenchModelName,
  device: "wasm" | "webgpu",
  workloads: readonly VersusWorkload[],
): Promise<BenchRow[]> {
  report(`${model} on ${device} against Transformers.js`);
  const opened = await page();
  const options: VersusOptions = {
    model,
    device,
    threads: 1,
    warmUp: device === "wasm" && !quick ? 6 : 1,
    workloads: quick ? workloads.map((each) => ({ ...each, rounds: 1 })) : workloads,
  };
  const result = await opened.measure<VersusResult>("versus-transformers", options);
  await opened.close();
  return result.workloads.flatMap(({ ours, floor, agree }, index) => {
    const { promptLength, count } = workloads[index] as VersusWorkload;
    const name = `${device} ${model} ${sizeLabel(model)} p${promptLength}/d${count}`;
    const { peerName } = result;
    return [
      speedRow({ name, peerName, agree }, ours),
      ...(floor === null ? [] : [speedRow({ name: `${name}, bare loop`, peerName, agree }, floor)]),
    ];
  });
}
