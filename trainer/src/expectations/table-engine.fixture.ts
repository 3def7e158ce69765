/**
 * An engine that is a table, so that every number of an update can be computed by hand: the
 * log-prob of a token is a parameter, its value another, and a step is −rate · gradient. Tests
 * only.
 */
import type { JudgedTrajectory, JudgedGroup } from "@waggle/learning";
import type {
  EngineCheckpoint,
  TensorMap,
  TokenDerivatives,
  TokenOutputs,
  TrainBatch,
  TrainEngine,
} from "@waggle/protocol";

/** A table engine with its state exposed. */
export type TableEngine = TrainEngine & {
  /** The current log-prob of a token. */
  readonly at: (tokenId: number) => number;
  /** The arguments of each backward pass. */
  readonly given: TokenDerivatives[];
  readonly rates: number[];
};

/** @param logProbs - of each token id; @param values - of the state after each. */
export function tableEngine(
  logProbs: readonly number[],
  values: readonly number[] = logProbs.map(() => 0),
): TableEngine {
  const table = Float32Array.from(logProbs);
  const heads = Float32Array.from(values);
  const gradient = new Float32Array(table.length);
  const given: TokenDerivatives[] = [];
  const rates: number[] = [];
  let step = 0;
  const outputs = ["logProb", "rawLogProb", "entropy", "sumSquaredProb", "values"] as const;
  const rows = ({ sequences }: TrainBatch, of: (id: number) => number): Float32Array[] =>
    sequences.map(({ tokenIds }) => Float32Array.from(tokenIds, of));
  const tensors = (): TensorMap =>
    new Map([["table", { shape: [table.length], data: table.slice() }]]);
  return {
    at: (id) => table[id] ?? Number.NaN,
    given,
    rates,
    capabilities: () => ({
      outputs,
      derivatives: ["logProb", "entropy", "values"],
      sequences: [],
      trains: "lora",
      reads: ["parameters"],
      device: "table",
    }),
    forward: async (batch): Promise<TokenOutputs> => ({
      logProb: rows(batch, (id) => table[id] ?? 0),
      rawLogProb: rows(batch, (id) => table[id] ?? 0),
      entropy: rows(batch, () => 1),
      sumSquaredProb: rows(batch, () => 0.5),
      ...(batch.values === true ? { values: rows(batch, (id) => heads[id] ?? 0) } : {}),
    }),
    backward: async ({ sequences }, derivatives) => {
      given.push(derivatives);
      for (const [b, { tokenIds }] of sequences.entries()) {
        for (const [t, id] of tokenIds.entries()) {
          gradient[id] = (gradient[id] ?? 0) + (derivatives.logProb?.[b]?.[t] ?? 0);
        }
      }
    },
    optimStep: async ({ learningRate }) => {
      step += 1;
      rates.push(learningRate);
      const gradientNorm = Math.hypot(...gradient);
      for (const id of table.keys())
        table[id] = (table[id] ?? 0) - learningRate * (gradient[id] ?? 0);
      gradient.fill(0);
      return { gradientNorm, step };
    },
    gradients: async () => new Map([["table", { shape: [table.length], data: gradient.slice() }]]),
    parameters: async () => tensors(),
    save: async (): Promise<EngineCheckpoint> => ({
      step,
      tensors: new Map([...tensors()].map(([name, tensor]) => [`parameters/${name}`, tensor])),
    }),
    load: async (checkpoint) => {
      step = checkpoint.step;
      table.set(checkpoint.tensors.get("parameters/table")?.data ?? []);
    },
    dispose: async () => {},
  };
}

/** A rollout in token ids. */
export type Rollout = {
  readonly id: string;
  /** The first token is given, the others are sampled in one turn. */
  readonly tokens: readonly number[];
  readonly reward: number;
  /** Log-probs recorded by the sampler; default −1 each. */
  readonly behavior?: readonly number[];
  readonly role?: string;
};

function rollout({ id, tokens, reward, behavior, role = "policy" }: Rollout): JudgedTrajectory {
  const lossMask = tokens.map((_, t) => t > 0);
  const task = { environment: "e", split: "train", seed: 1 };
  const turn = { sample: 0, start: 1, end: tokens.length, state: "", parseError: null };
  return {
    id,
    role,
    joint: null,
    mode: null,
    read: null,
    staleness: 0,
    branch: null,
    record: {
      task,
      stopReason: "completed",
      terminated: true,
      truncated: false,
      turns: [],
      segments: [],
    },
    samples: [
      {
        sequence: { tokenIds: tokens },
        lossMask,
        behaviorLogProbs: tokens.map((_, t) => behavior?.[t] ?? -1),
        spans: [{ segment: { entropies: [], id: "s", parent: null, kind: "sampled" }, start: 1 }],
      },
    ],
    turns: [{ ...turn, toolCalls: [], toolResults: [], reward: null }],
    verification: { reward, success: reward >= 1, parts: {} },
  } as unknown as JudgedTrajectory;
}

/** A group of judged rollouts at one task. */
export function groupOf(...rollouts: readonly Rollout[]): JudgedGroup {
  return { task: "t", trajectories: rollouts.map(rollout) };
}
