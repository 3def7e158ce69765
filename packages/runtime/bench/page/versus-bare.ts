/**
 * Decoding by the runtime against a bare loop on the same onnxruntime session, in one thread, in
 * short blocks in turns. Both decode the same tokens at the same positions.
 */
import { BENCH_CONFIGS, benchPrompt } from "../bench-models.ts";
import type { BenchModelName } from "../bench-models.ts";
import { compareRounds } from "../paired-blocks.ts";
import type { Comparison, PairedBlocks, RoundLimits } from "../paired-blocks.ts";
import { BareLoop } from "./bare-loop.ts";
import { KeptModule } from "./kept-module.ts";
import { PausableClock } from "./pausable-clock.ts";
import { GREEDY, keptPolicyInPage } from "./in-page-policy.ts";

/**
 * Untimed steps after a prompt. Only the first step takes twice as long, on either side, and would
 * add 4 % to the first block of the side that starts.
 */
const SETTLED = 4;

export type BareOptions = {
  readonly model: BenchModelName;
  readonly limits: RoundLimits;
  readonly promptLength: number;
  /** Timed tokens per generation; a multiple of two blocks. */
  readonly count: number;
  readonly tokensPerBlock: number;
};

export type BareResult = {
  /** A second bare loop instead of the runtime; its true ratio is 1. */
  readonly control: Comparison;
  readonly tokensOnly: Comparison;
  readonly withLogProbs: Comparison;
  readonly agree: boolean;
};

export async function measure(options: BareOptions): Promise<BareResult> {
  const { model, limits, promptLength, count, tokensPerBlock } = options;
  const kept = new KeptModule();
  const policy = await keptPolicyInPage(model, kept);
  const clock = new PausableClock();
  const room = promptLength + 1 + SETTLED + count;
  const bare = new BareLoop(kept, BENCH_CONFIGS[model], room);
  const other = new BareLoop(kept, BENCH_CONFIGS[model], room);
  const prompt = benchPrompt(model, promptLength);
  const outputs = new Set<string>();

  const control = async (): Promise<PairedBlocks[]> => {
    const first = other.begin(prompt, false);
    const second = bare.begin(prompt, false);
    first.step(SETTLED);
    second.step(SETTLED);
    const pairs: PairedBlocks[] = [];
    for (let token = 0; token < count; token += 2 * tokensPerBlock) {
      pairs.push([
        timed(() => first.step(tokensPerBlock)),
        timed(() => second.step(tokensPerBlock)),
        timed(() => second.step(tokensPerBlock)),
        timed(() => first.step(tokensPerBlock)),
      ]);
    }
    outputs.add(first.tokenIds.join()).add(second.tokenIds.join());
    return pairs;
  };

  /**
   * The bare loop runs inside the runtime's token listener, between its tokens, in time that the
   * runtime's clock leaves out. Otherwise the event loop would get twice as many turns as in real
   * use.
   */
  const runtime = async (withLogProbs: boolean): Promise<PairedBlocks[]> => {
    const second = bare.begin(prompt, withLogProbs);
    second.step(SETTLED);
    const context = await policy.createContext();
    context.append(prompt);
    const call = { sampling: GREEDY, stopTokenIds: [] };
    const first = await context.generate({ ...call, maxTokens: 1 + SETTLED });
    const pairs: PairedBlocks[] = [];
    let tokens = 0;
    let bareMs: [number, number] | null = null;
    let before = 0;
    let start = performance.now();
    const onToken = (): void => {
      if (++tokens % tokensPerBlock !== 0) return;
      const ms = performance.now() - start;
      if (bareMs === null) {
        before = ms;
        bareMs = clock.without(() => [
          timed(() => second.step(tokensPerBlock)),
          timed(() => second.step(tokensPerBlock)),
        ]);
      } else {
        pairs.push([before, ...bareMs, ms]);
        bareMs = null;
      }
      start = performance.now();
    };
    const rest = await context.generate({ ...call, maxTokens: count, onToken });
    context.dispose();
    outputs.add([...first.tokenIds, ...rest.tokenIds].join()).add(second.tokenIds.join());
    return pairs;
  };

  const result = {
    control: await compareRounds(limits, tokensPerBlock, control),
    tokensOnly: await compareRounds(limits, tokensPerBlock, () => runtime(false)),
    withLogProbs: await compareRounds(limits, tokensPerBlock, () => runtime(true)),
  };
  clock.restore();
  await policy.dispose();
  return { ...result, agree: outputs.size === 1 };
}

function timed(run: () => void): number {
  const start = performance.now();
  run();
  return performance.now() - start;
}
