/** Peak memory that a large vocabulary adds: its embedding and tiles of logits, never all logits. */
import { benchRow } from "../../../runtime/bench/row.ts";
import { layersAgree, measureInChild } from "../child-step.ts";
import { QWEN3_0_6B } from "../random-decoder.ts";
import type { EngineScenario } from "../scenario.ts";

/** Arrays of one tile of 2 Mi logits that exist at once, with the allocator's rounding. */
const CHUNK_BYTES = 6 * 2 ** 21 * 4;

export const vocabularyMemory: EngineScenario = {
  name: "vocabulary-memory",
  description: "peak memory of a step at a vocabulary of 151,936 against 1,024",
  run: async function* ({ quick, threads, report }) {
    const agree = await layersAgree();
    const sizes = { width: 256, layers: 4, heads: 4, keyValueHeads: 2, headSize: 64 };
    const measure = async (vocabularySize: number): Promise<number> => {
      const config = { ...QWEN3_0_6B, ...sizes, feedForwardSize: 768, vocabularySize };
      const step = await measureInChild({
        config,
        threads,
        base: "f32",
        trains: "lora",
        rank: 8,
        checkpointing: "layer",
        sequences: 2,
        length: 512,
        steps: 2,
      });
      report(`vocabulary ${vocabularySize}: ${JSON.stringify(step)}`);
      return step.peakBytes;
    };
    const large = quick ? 32_768 : 151_936;
    // the least of three: anything else a process holds only adds
    const peaks = { small: Infinity, large: Infinity };
    for (let round = 0; round < (quick ? 1 : 3); round++) {
      peaks.small = Math.min(peaks.small, await measure(1024));
      peaks.large = Math.min(peaks.large, await measure(large));
    }
    const allowed = (large - 1024) * sizes.width * 4 + CHUNK_BYTES;
    const added = peaks.large - peaks.small;
    yield benchRow({
      name: `vocabulary ${large} against 1024, 1024 tokens: added peak memory`,
      ours: added / 1e6,
      peer: allowed / 1e6,
      peerName: "the embedding's bytes and one chunk",
      unit: "MB",
      agree: agree && added <= allowed,
    });
    yield benchRow({
      name: `vocabulary ${large}: added peak memory against logits that stand in memory`,
      ours: added / 1e6,
      peer: (1024 * large * 4) / 1e6,
      peerName: "one array of logits",
      unit: "MB",
      agree,
    });
  },
};
