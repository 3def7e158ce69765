/** The runtime's overhead over a loop that only computes, and recording's share of it. */
import { sizeLabel } from "../bench-models.ts";
import type { BenchModelName } from "../bench-models.ts";
import type { RecordingOptions, RecordingResult } from "../page/recording.ts";
import type { Comparison, RoundLimits } from "../paired-blocks.ts";
import type { BareOptions, BareResult } from "../page/versus-bare.ts";
import { pairedRow } from "../row.ts";
import type { BenchRow } from "../row.ts";
import type { BenchContext, Scenario } from "../scenario.ts";

/** Rounds of 128 tokens. A ratio known to 0.4 percent is precise enough. */
const LIMITS: { readonly [model: string]: RoundLimits } = {
  nano: { warmUp: 10, least: 60, most: 240, uncertainty: 0.004 },
  small: { warmUp: 2, least: 12, most: 24, uncertainty: 0.004 },
};
const QUICK: RoundLimits = { warmUp: 1, least: 2, most: 2, uncertainty: 0 };

const WORKLOAD = { promptLength: 256, count: 128 };

/** Blocks of 5 to 12 ms, which are short compared with changes in the machine's load. */
const TOKENS_PER_BLOCK = { nano: 32, small: 4 } as const;

export const versusBareLoop: Scenario = {
  name: "bare-loop",
  description: "milliseconds per token against a bare loop with keys and values in place, on WASM",
  run: async function* (context) {
    yield* rows(context, "nano");
    yield* rows(context, "small");
  },
};

async function* rows(
  { quick, report, page }: BenchContext,
  model: Extract<BenchModelName, "nano" | "small">,
): AsyncGenerator<BenchRow> {
  const label = `${model} ${sizeLabel(model)} p256/d128`;
  const limits = quick ? QUICK : (LIMITS[model] as RoundLimits);
  const row = (name: string, peerName: string, paired: Comparison, agree: boolean): BenchRow => {
    report(`${paired.pairs} pairs of ${name}`);
    return pairedRow({ name: `${name} ${label}`, peerName, unit: "ms/token", agree }, paired);
  };
  report(`${model} against a bare loop`);
  const opened = await page();
  const options: BareOptions = {
    model,
    limits,
    ...WORKLOAD,
    tokensPerBlock: TOKENS_PER_BLOCK[model],
  };
  const bare = await opened.measure<BareResult>("versus-bare", options);
  const { agree } = bare;
  yield row("control, two bare loops,", "bare loop, tokens only", bare.control, agree);
  yield row("overhead", "bare loop with log-probs", bare.withLogProbs, agree);
  yield row("overhead", "bare loop, tokens only", bare.tokensOnly, agree);
  const recording: RecordingOptions = {
    model,
    limits,
    ...WORKLOAD,
    tokensPerBlock: 16,
    samplings: [
      { temperature: 1, topK: 1, topP: 1 },
      { temperature: 1, topK: 0, topP: 1 },
    ],
  };
  const { comparisons, ...recorded } = await opened.measure<RecordingResult>(
    "recording",
    recording,
  );
  await opened.close();
  const [greedy, drawn] = comparisons as [Comparison, Comparison];
  const silent = "the same sessions, tokens only";
  yield row("recording, greedy,", silent, greedy, recorded.agree);
  yield row("recording, temperature 1,", silent, drawn, recorded.agree);
}
