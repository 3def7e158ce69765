/** Times continuations of one prefix as a group and one after another. */
import type { Sample } from "@waggle/protocol";
import { interleavedBest } from "../interleaved.ts";
import { benchPrompt } from "../bench-models.ts";
import type { BenchModelName } from "../bench-models.ts";
import { loadOurs } from "./our-policy.ts";

export type GroupedOptions = {
  readonly model: BenchModelName;
  readonly device: "wasm" | "webgpu";
  readonly threads: number;
  readonly rounds: number;
  readonly prefix: number;
  readonly group: number;
  readonly count: number;
  /** False: measure only decoding, where prefills would take minutes. */
  readonly withPrefills: boolean;
};

/** Milliseconds for all continuations. */
export type GroupedResult = {
  readonly groupMs: number;
  readonly sequentialMs: number;
  readonly groupDecodeMs: number;
  readonly sequentialDecodeMs: number;
  /** Whether recorded log-probs of both equal those of `score` for their tokens. */
  readonly agree: boolean;
};

/** For f32, as in the agreement of sampler and score. */
const BUDGET_NATS = 1e-4;

export async function measure(options: GroupedOptions): Promise<GroupedResult> {
  const { model, device, threads, rounds, prefix, group, count } = options;
  const policy = await loadOurs(model, device, threads);
  const prompt = benchPrompt(model, prefix);
  const samples: Sample[] = [];
  const generate = (seed: number, maxTokens: number) => ({
    sampling: { temperature: 1, topK: 0, topP: 1, seed },
    stopTokenIds: [],
    maxTokens,
  });
  const seeds = Array.from({ length: group }, (_, index) => index + 1);
  const timed = async (body: () => Promise<void>): Promise<number> => {
    const start = performance.now();
    await body();
    return performance.now() - start;
  };
  const together = async (decodeOnly: boolean): Promise<number> => {
    const trunk = await policy.createContext();
    trunk.append(prompt);
    const begin = performance.now();
    const members = await trunk.group(group);
    if (decodeOnly) {
      await Promise.all(members.map((session, i) => session.generate(generate(seeds[i] ?? 0, 1))));
    }
    const ms = await timed(async () => {
      const sampled = await Promise.all(
        members.map((session, i) => session.generate(generate((seeds[i] ?? 0) + 100, count))),
      );
      if (!decodeOnly) samples.splice(0, samples.length, ...sampled);
    });
    const total = performance.now() - begin;
    for (const session of [trunk, ...members]) session.dispose();
    return decodeOnly ? ms : total;
  };
  const apart = async (decodeOnly: boolean): Promise<number> => {
    let ms = 0;
    // If prefills are not timed, the prompt is read only once: on a software GPU it takes the
    // longest.
    const trunk = await policy.createContext();
    trunk.append(prompt);
    const forks = options.withPrefills ? [] : await trunk.group(group);
    for (const [index, seed] of seeds.entries()) {
      const session = forks[index] ?? (await policy.createContext());
      if (forks.length === 0) session.append(prompt);
      if (decodeOnly) await session.generate(generate(seed, 1));
      ms += await timed(async () => {
        await session.generate(generate(seed + 100, count));
      });
      session.dispose();
    }
    trunk.dispose();
    return ms;
  };
  const measures = [() => together(true), () => apart(true)];
  if (options.withPrefills)
    measures.push(
      () => together(false),
      () => apart(false),
    );
  const [groupDecodeMs = 0, sequentialDecodeMs = 0, groupMs = 0, sequentialMs = 0] =
    await interleavedBest(rounds, measures);
  if (!options.withPrefills) await together(false);
  const scores = await policy.scoreMany(
    samples.map(({ tokenIds }) => ({
      tokenIds: [...prompt, ...tokenIds],
      sampling: { temperature: 1, topK: 0, topP: 1 },
    })),
  );
  const differences = samples.flatMap(({ rawLogProbs }, index) =>
    rawLogProbs.map((value, i) =>
      Math.abs(value - (scores[index]?.rawLogProbs[prefix + i] ?? Number.NaN)),
    ),
  );
  await policy.dispose();
  return {
    groupMs,
    sequentialMs,
    groupDecodeMs,
    sequentialDecodeMs,
    agree: differences.length === group * count && differences.every((nats) => nats < BUDGET_NATS),
  };
}
