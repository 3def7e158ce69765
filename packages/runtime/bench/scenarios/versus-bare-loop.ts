/** What the runtime adds to a loop that only computes. */
import { sizeLabel } from "../bench-models.ts";
import type { BenchModelName } from "../bench-models.ts";
import type { RecordingOptions, RecordingResult } from "../page/recording.ts";
import type { BareOptions, BareResult } from "../page/versus-bare.ts";
import { benchRow } from "../row.ts";
import type { BenchRow } from "../row.ts";
import type { BenchContext, Scenario } from "../scenario.ts";

export const versusBareLoop: Scenario = {
  name: "bare-loop",
  description: "milliseconds a token against a bare loop with keys and values in place, on WASM",
  run: async function* (context) {
    yield* await rows(context, "nano");
    yield* await rows(context, "small");
  },
};

async function rows(
  { quick, report, page }: BenchContext,
  model: BenchModelName,
): Promise<BenchRow[]> {
  report(`${model} against a bare loop`);
  const opened = await page();
  const options: BareOptions = {
    model,
    threads: 1,
    rounds: quick ? 1 : 9,
    promptLength: 256,
    count: 128,
  };
  const result = await opened.measure<BareResult>("versus-bare", options);
  const recording: RecordingOptions = options;
  const inside = await opened.measure<RecordingResult>("recording", recording);
  await opened.close();
  const row = (peerName: string, peer: number): BenchRow =>
    benchRow({
      name: `overhead ${model} ${sizeLabel(model)} p256/d128, ${peerName}`,
      ours: result.ours / options.count,
      peer: peer / options.count,
      peerName,
      unit: "ms/token",
      agree: result.agree,
    });
  return [
    row("bare loop with log-probs", result.bareWithLogProbs),
    row("bare loop, tokens only", result.bare),
    benchRow({
      name: `recording ${model} ${sizeLabel(model)} p256/d128`,
      ours: inside.recorded / options.count,
      peer: inside.unrecorded / options.count,
      peerName: "our back end without sessions and records",
      unit: "ms/token",
      agree: inside.agree,
    }),
  ];
}
