/** Log-probs of the same token from the sampler, from `score` and from the trainer's engine. */
import { createEngine } from "@waggle/engine";
import { roundedWeights } from "@waggle/model";
import type { WeightFormat } from "@waggle/model";
import type { Sample, TensorMap } from "@waggle/protocol";
import { createNodePolicy } from "@waggle/runtime/node";
import { readNanoModel } from "../nano-model.ts";
import type { NanoModel } from "../nano-model.ts";
import { benchRow } from "../row.ts";
import type { BenchRow } from "../row.ts";
import type { Scenario } from "../scenario.ts";

/**
 * In nats. Quantized weights may differ from f32, but never from the trainer's dequantized weights.
 */
const BUDGET = 1e-4;
/** Mean nats by which log-probs of a number format may differ from f32's on the same tokens. */
const FORMAT_BUDGET = { int8: 0.05, int4: 0.5 } as const;

const DISTRIBUTIONS = [
  { temperature: 1, topK: 0, topP: 1 },
  { temperature: 0.7, topK: 0, topP: 1 },
  { temperature: 1.3, topK: 20, topP: 1 },
  { temperature: 1, topK: 0, topP: 0.9 },
  { temperature: 0.8, topK: 40, topP: 0.8 },
];

export const logProbs: Scenario = {
  name: "log-probs",
  description: "largest difference of log-probs between sampler, score and the trainer's engine",
  run: async function* ({ quick, report }) {
    const nano = readNanoModel(512);
    for (const dtype of ["f32", "int8", "int4"] as const) {
      report(`log-probs in ${dtype}`);
      yield* await compare(nano, dtype, quick ? 24 : 200);
    }
  },
};

async function compare(
  nano: NanoModel,
  dtype: Exclude<WeightFormat, "f16">,
  count: number,
): Promise<BenchRow[]> {
  const { config, weights } = nano;
  const policy = await createNodePolicy({ config, weights, dtype, baseModel: "0".repeat(64) });
  const rounded = await engineOf(nano, roundedWeights(config, weights, dtype, "f32"));
  const full = await engineOf(nano, weights);
  const gaps = { score: [] as number[], engine: [] as number[], format: [] as number[] };
  const prompt = Array.from({ length: 20 }, (_, i) => (i * i * 7 + 5) % config.vocabularySize);
  for (const [index, distribution] of DISTRIBUTIONS.entries()) {
    const session = await policy.createContext();
    session.append(prompt);
    const sampling = { ...distribution, seed: index };
    const sample = await session.generate({ sampling, stopTokenIds: [], maxTokens: count });
    session.dispose();
    const tokenIds = [...prompt, ...sample.tokenIds];
    const given = prompt.map(() => null);
    const kept = sample.keptTokenIds && [...given, ...sample.keptTokenIds];
    const scored = await policy.score({
      tokenIds,
      sampling: distribution,
      ...(kept && { keptTokenIds: kept }),
    });
    const sequence = { tokenIds, temperatures: distribution.temperature, keptTokenIds: kept };
    const start = prompt.length;
    const trained = (await rounded.forward({ sequences: [sequence] })) as Outputs;
    const reference = (await full.forward({ sequences: [sequence] })) as Outputs;
    gaps.score.push(
      ...differences(sample.behaviorLogProbs, scored.behaviorLogProbs.slice(start)),
      ...differences(sample.rawLogProbs, scored.rawLogProbs.slice(start)),
      ...differences(sample.entropies, scored.entropies.slice(start)),
    );
    gaps.engine.push(...engineGaps(sample, trained, start));
    gaps.format.push(
      ...differences(sample.rawLogProbs, reference.rawLogProb[0]?.slice(start) ?? []),
    );
  }
  await policy.dispose();
  await rounded.dispose();
  await full.dispose();
  const row = (name: string, ours: number, budget: number): BenchRow =>
    benchRow({
      name,
      ours,
      peer: budget,
      peerName: "budget",
      unit: "nats",
      agree: ours <= budget,
    });
  const rows = [
    row(`${dtype} sampler - score, largest`, largest(gaps.score), BUDGET),
    row(
      `${dtype} sampler - trainer's engine on the same weights, largest`,
      largest(gaps.engine),
      BUDGET,
    ),
  ];
  if (dtype === "f32") return rows;
  const mean = gaps.format.reduce((sum, gap) => sum + gap, 0) / gaps.format.length;
  return [...rows, row(`${dtype} sampler - f32, mean`, mean, FORMAT_BUDGET[dtype])];
}

type Outputs = Awaited<ReturnType<Awaited<ReturnType<typeof engineOf>>["forward"]>>;

function engineOf({ config }: NanoModel, weights: TensorMap): ReturnType<typeof createEngine> {
  return createEngine({ device: "cpu", config, weights, trains: "full" });
}

function engineGaps(sample: Sample, outputs: Outputs, start: number): number[] {
  return [
    ...differences(sample.behaviorLogProbs, outputs.logProb[0]?.slice(start) ?? []),
    ...differences(sample.rawLogProbs, outputs.rawLogProb[0]?.slice(start) ?? []),
    ...differences(sample.entropies, outputs.entropy[0]?.slice(start) ?? []),
  ];
}

function differences(a: readonly number[], b: ArrayLike<number>): number[] {
  return a.map((value, i) => Math.abs(value - (b[i] ?? Number.NaN)));
}

/** NaN if any value is. */
function largest(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), 0);
}
