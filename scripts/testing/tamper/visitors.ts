/** Honest visitors of the demo shop, and visitors who write their records in other ways. */
import { judgedRollout } from "@waggle/agent/environments";
import { rollOut } from "@waggle/agent";
import { SHOP } from "@waggle/demo/environment";
import { type Adapter, initializeAdapter } from "@waggle/model";
import {
  derivedSeed,
  FULL_SUPPORT,
  type Sampling,
  type TaskReference,
  type Trajectory,
} from "@waggle/protocol";
import type { AdaptivePolicy } from "@waggle/runtime/node";
import { ScriptedPolicy } from "@waggle/testing";
import type { BaseModel } from "../../../trainer/src/model/base-model.ts";
import { ADVERTISEMENT, demonstratedTurns } from "../shop-demonstration.ts";
import type { Attack } from "./attack.ts";
import { claimed, CLIENT, named } from "./claimed-record.ts";

/** A task with the seed that the edge gave for it. */
type Assigned = { readonly task: TaskReference; readonly seed: number };

/** The attempt of one visitor. */
export type Attempt = (assigned: Assigned) => Promise<Trajectory>;

const { signal } = new AbortController();

/** Tasks with given seeds: always the same. */
export function assignments(count: number): Assigned[] {
  return Array.from({ length: count }, (_, i) => ({
    task: { environment: SHOP.name, seed: i, split: "train" as const },
    seed: derivedSeed(1, i),
  }));
}

const NOTHING = "nothing yet";

/** The attempt that a page makes with these weights. */
export function honest(model: BaseModel, policy: AdaptivePolicy): Attempt {
  return async (assigned) => named(await sampled(model, policy, assigned), assigned.seed);
}

/** Honest records that completed their task's conversation in several turns with calls. Every forgery changes such a record. */
export async function forgeableRecords(attempt: Attempt, count: number): Promise<Trajectory[]> {
  const records: Trajectory[] = [];
  for (const one of assignments(10 * count)) {
    const record = await attempt(one);
    const hasCalls = record.turns.some(({ toolCalls }) => toolCalls.length > 0);
    const isWhole = record.stopReason === "completed" && record.turns.length > 1;
    if (hasCalls && isWhole) records.push(record);
    if (records.length === count) break;
  }
  return records;
}

/** Another way to write a record than sampling from the given seed. */
type Selection = Pick<Attack, "name" | "does"> & {
  /** Absent: drawing the tokens again. */
  readonly stoppedBy?: string;
  readonly rollout: Attempt;
};

/**
 * Every record has the log-probs that `policy` gives its tokens, so that the gap of log-probs is 0, and names the seed that
 * was given, unless said otherwise.
 *
 * @param int4 - the same weights in another number format.
 */
export function selections(
  model: BaseModel,
  policy: AdaptivePolicy,
  int4: AdaptivePolicy,
): readonly Selection[] {
  const claim = (record: Trajectory, seed: number) => claimed(policy, record, seed);
  const other = ({ seed }: Assigned, i = 0): number => derivedSeed(seed, 1 + i);
  const sampledWith = (sampling: Partial<Omit<Sampling, "seed">>): Attempt => {
    const whole = { ...FULL_SUPPORT, ...sampling };
    return async (assigned) => claim(await sampled(model, policy, assigned, whole), assigned.seed);
  };
  const bestOf =
    (attempts: number): Attempt =>
    async (assigned) => {
      let best: Trajectory | null = null;
      for (let i = 0; i < attempts; i += 1) {
        const one = await judged(model, policy, { ...assigned, seed: other(assigned, i) });
        if (best === null || one.verification.success) best = one.record;
        if (one.verification.success) break;
      }
      return claim(best as Trajectory, assigned.seed);
    };
  return [
    {
      name: "hand-written right answers",
      does: "writes what the demonstrator of the environment does",
      rollout: async (assigned) => claim(await written(model, policy, assigned), assigned.seed),
    },
    {
      name: "hand-written answers of another runtime",
      does: "the same, without a seed, and names a runtime whose tokens cannot be drawn again",
      stoppedBy: "a quarter of the weight",
      rollout: async (assigned) => {
        const record = await claim(await written(model, policy, assigned), assigned.seed);
        const { samplingSeed: _, ...unnamed } = record;
        return { ...unnamed, client: { ...CLIENT, backend: "server" } };
      },
    },
    {
      name: "appended text",
      does: "appends an advertisement to right answers",
      rollout: async (assigned) =>
        claim(await written(model, policy, assigned, ADVERTISEMENT), assigned.seed),
    },
    { name: "greedy", does: "takes the likeliest token", rollout: sampledWith({ topK: 1 }) },
    {
      name: "hidden top-k",
      does: "keeps two tokens and hides it",
      rollout: sampledWith({ topK: 2 }),
    },
    {
      name: "hidden top-p",
      does: "keeps half of the probability and hides it",
      rollout: sampledWith({ topP: 0.5 }),
    },
    { name: "best of 4", does: "sends the best of four attempts", rollout: bestOf(4) },
    { name: "best of 10", does: "sends the best of ten attempts", rollout: bestOf(10) },
    {
      name: "temperature 0.7",
      does: "samples at 0.7 and records 1",
      rollout: sampledWith({ temperature: 0.7 }),
    },
    {
      name: "temperature 1.5",
      does: "samples at 1.5 and records 1",
      rollout: sampledWith({ temperature: 1.5 }),
    },
    {
      name: "temperature 10",
      does: "samples at 10 and records 1",
      rollout: sampledWith({ temperature: 10 }),
    },
    {
      name: "another adapter",
      does: "samples with an adapter that nobody published",
      rollout: async (assigned) => {
        await policy.setAdapter(0, strangeAdapter(model));
        const record = await sampled(model, policy, assigned);
        await policy.setAdapter(0, null);
        return claim(record, assigned.seed);
      },
    },
    {
      name: "int4 weights",
      does: "samples with weights in int4 and records float32",
      rollout: async (assigned) => claim(await sampled(model, int4, assigned), assigned.seed),
    },
    {
      name: "another seed",
      does: "samples from a seed of its own, or copies another visitor's record",
      rollout: async (assigned) =>
        claim(await sampled(model, policy, { ...assigned, seed: other(assigned) }), assigned.seed),
    },
    {
      name: "a forged seed",
      does: "the same, and records the seeds of its own",
      rollout: async (assigned) => ({
        ...(await sampled(model, policy, { ...assigned, seed: other(assigned) })),
        client: CLIENT,
        samplingSeed: assigned.seed,
      }),
    },
    {
      name: "hidden failures",
      does: "samples honestly and records failed attempts as aborted",
      stoppedBy: NOTHING,
      rollout: async (assigned) => {
        const { record, verification } = await judged(model, policy, assigned);
        const whole = named(record, assigned.seed);
        if (verification.success) return whole;
        return { ...whole, stopReason: "aborted", terminated: false, truncated: true };
      },
    },
  ];
}

const judged = (
  { format }: BaseModel,
  policy: AdaptivePolicy,
  { task, seed }: Assigned,
  sampling: Omit<Sampling, "seed"> = FULL_SUPPORT,
) => judgedRollout({ policy, format, sampling, environments: [SHOP] }, task, seed, signal);

async function sampled(...given: Parameters<typeof judged>): Promise<Trajectory> {
  return (await judged(...given)).record;
}

/** What the demonstrator of the environment does, as text. */
async function written(
  { format }: BaseModel,
  policy: AdaptivePolicy,
  { task, seed }: Assigned,
  appended = "",
): Promise<Trajectory> {
  const turns = await demonstratedTurns(task, seed, appended);
  const texts = turns.map((turn) => format.encodeAssistant(...turn));
  const { baseModel, vocabularySize } = policy;
  return rollOut({
    policy: new ScriptedPolicy({ turns: texts, baseModel, version: 0, vocabularySize }),
    environment: SHOP.create(task).environment,
    chatFormat: format,
    limits: { maxTurns: 16, maxTokensPerTurn: 512, timeoutMs: 0 },
    consent: { version: "1", scopes: ["train"], grantedAt: new Date().toISOString() },
    client: CLIENT,
    seed,
  });
}

/** An adapter that nobody published. A larger `scale` changes more answers. */
export function strangeAdapter({ config }: BaseModel, scale = 0.2): Adapter {
  const adapter = initializeAdapter(config, { rank: 4, alpha: 8, seed: 5 });
  for (const [name, { data }] of adapter.tensors) {
    if (name.includes("lora_B")) data.forEach((_, i) => void (data[i] = scale * Math.sin(i)));
  }
  return adapter;
}
