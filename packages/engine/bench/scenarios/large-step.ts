/** A LoRA step of a 0.6 B decoder in a process of its own: time and peak memory. */
import { benchRow } from "../../../runtime/bench/row.ts";
import { layersAgree, measureInChild } from "../child-step.ts";
import { QWEN3_0_6B } from "../random-decoder.ts";
import type { EngineScenario } from "../scenario.ts";

/** Memory limit of the step. */
const LIMIT_GB = 8;

export const largeStep: EngineScenario = {
  name: "large-step",
  description: "LoRA of rank 16 on all linears of a 0.6 B qwen3, 1 × 512 tokens",
  run: async function* ({ quick, threads, report }) {
    const agree = await layersAgree();
    for (const base of quick ? (["int8"] as const) : (["int8", "int4", "f32"] as const)) {
      const config = quick ? { ...QWEN3_0_6B, layers: 2, vocabularySize: 8192 } : QWEN3_0_6B;
      const length = 512;
      const step = await measureInChild({
        config,
        base,
        length,
        threads,
        trains: "lora",
        rank: 16,
        sequences: 1,
        checkpointing: "layer",
        steps: quick ? 1 : 3,
      });
      report(JSON.stringify(step));
      const name = `0.6 B lora, ${base} base, 1 x ${length}`;
      const seconds = step.backwardSeconds + step.optimizerSeconds;
      yield benchRow({
        name: `${name}: peak memory`,
        unit: "GB",
        agree: agree && step.peakBytes < LIMIT_GB * 1e9,
        ours: step.peakBytes / 1e9,
        peer: LIMIT_GB,
        peerName: "limit",
      });
      yield benchRow({
        name: `${name}: peak memory against the plan`,
        unit: "GB",
        agree,
        ours: step.peakBytes / 1e9,
        peer: step.plannedBytes / 1e9,
        peerName: "plan",
      });
      yield benchRow({
        name: `${name}: gradients and AdamW against outputs alone`,
        unit: "s",
        agree,
        ours: seconds,
        peer: step.forwardSeconds,
        peerName: "forward",
      });
    }
  },
};
