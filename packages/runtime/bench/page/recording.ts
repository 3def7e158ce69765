/**
 * Measures the cost of recording: one policy, scheduler and onnxruntime session with and without the
 * numbers of each token, in short generations in turns. Both draw the same tokens.
 */
import { benchPrompt } from "../bench-models.ts";
import type { BenchModelName } from "../bench-models.ts";
import { compareRounds } from "../paired-blocks.ts";
import type { Comparison, PairedBlocks, RoundLimits } from "../paired-blocks.ts";
import type { ScheduledPolicy } from "../../src/session/scheduled-policy.ts";
import { switchedInPage } from "./in-page-policy.ts";
import { RecordingSwitch } from "./recording-switch.ts";

type Context = Awaited<ReturnType<ScheduledPolicy["createContext"]>>;

type Sampling = { readonly temperature: number; readonly topK: number; readonly topP: number };

/** Untimed tokens after a prompt: the first step takes twice as long, on one side only. */
const SETTLED = 4;

export type RecordingOptions = {
  readonly model: BenchModelName;
  readonly limits: RoundLimits;
  readonly promptLength: number;
  /** Tokens per round; a multiple of two blocks. */
  readonly count: number;
  readonly tokensPerBlock: number;
  /** Greedy (topK 1), or from all tokens at a temperature. */
  readonly samplings: readonly Sampling[];
};

export type RecordingResult = {
  /** With recording against without, for each sampling. */
  readonly comparisons: readonly Comparison[];
  readonly agree: boolean;
};

export async function measure(options: RecordingOptions): Promise<RecordingResult> {
  const { model, limits, promptLength, count, tokensPerBlock } = options;
  const prompt = benchPrompt(model, promptLength);
  const recording = new RecordingSwitch();
  const policy = await switchedInPage(model, recording);
  let agree = true;
  let isSwapped = false;

  const round = async (sampling: Sampling): Promise<PairedBlocks[]> => {
    const call = { stopTokenIds: [] };
    // Which one comes first in memory alternates from round to round.
    isSwapped = !isSwapped;
    const contexts = [await policy.createContext(), await policy.createContext()] as const;
    for (const context of contexts) {
      context.append(prompt);
      await context.generate({ ...call, sampling: { ...sampling, seed: 1 }, maxTokens: SETTLED });
    }
    const [recorded, silent] = isSwapped ? (contexts.toReversed() as [Context, Context]) : contexts;
    const block = async (context: Context, seed: number): Promise<number> => {
      recording.isOn = context === recorded;
      const start = performance.now();
      await context.generate({
        ...call,
        sampling: { ...sampling, seed },
        maxTokens: tokensPerBlock,
      });
      return performance.now() - start;
    };
    const pairs: PairedBlocks[] = [];
    for (let seed = 2; pairs.length < count / tokensPerBlock / 2; seed += 2) {
      pairs.push([
        await block(recorded, seed),
        await block(silent, seed),
        await block(silent, seed + 1),
        await block(recorded, seed + 1),
      ]);
    }
    recording.isOn = true;
    agree &&= recorded.tokenIds.join() === silent.tokenIds.join();
    for (const context of contexts) context.dispose();
    return pairs;
  };

  const comparisons: Comparison[] = [];
  for (const sampling of options.samplings) {
    comparisons.push(await compareRounds(limits, tokensPerBlock, () => round(sampling)));
  }
  await policy.dispose();
  return { comparisons, agree };
}
