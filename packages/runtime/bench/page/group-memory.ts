/** Measures the peak memory of one run and of a group of runs. */
import { BENCH_CONFIGS, benchPrompt } from "../bench-models.ts";
import type { BenchModelName } from "../bench-models.ts";
import { policyInPage } from "./in-page-policy.ts";

export type GroupMemoryOptions = {
  readonly model: BenchModelName;
  readonly prefix: number;
  readonly group: number;
  readonly count: number;
};

/** In bytes. */
export type GroupMemoryResult = {
  readonly one: number;
  readonly group: number;
  /** Keys and values of the tokens that the group sampled. */
  readonly continuations: number;
};

export async function measure(options: GroupMemoryOptions): Promise<GroupMemoryResult> {
  const { model, prefix, group, count } = options;
  const { layers, keyValueHeads, headSize } = BENCH_CONFIGS[model];
  return {
    one: await peak(options, 1),
    group: await peak(options, group),
    continuations: group * count * layers * 2 * keyValueHeads * headSize * 4,
  };

  async function peak({ model: name }: GroupMemoryOptions, rows: number): Promise<number> {
    const policy = await policyInPage(name, 1);
    const trunk = await policy.createContext();
    trunk.append(benchPrompt(name, prefix));
    const sessions = rows === 1 ? [trunk] : await trunk.group(rows);
    let most = 0;
    const look = (): void => {
      const { weights, adapters, caches, scratch } = policy.memory();
      most = Math.max(most, weights + adapters + caches + scratch);
    };
    await Promise.all(
      sessions.map((session, i) =>
        session.generate({
          sampling: { temperature: 1, topK: 0, topP: 1, seed: i },
          stopTokenIds: [],
          maxTokens: count,
          onToken: look,
        }),
      ),
    );
    await policy.dispose();
    return most;
  }
}
