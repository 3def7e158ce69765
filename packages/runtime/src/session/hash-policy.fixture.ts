/** Policies over the hash backend, and an undisturbed run for comparison. Tests only. */
import type { Adapter } from "@waggle/model";
import { FULL_SUPPORT } from "@waggle/protocol";
import type { GenerateOptions, Sample } from "@waggle/protocol";
import { HashBackend } from "./hash-backend.fixture.ts";
import type { HashBackendOptions } from "./hash-backend.fixture.ts";
import { createScheduledPolicy } from "./scheduled-policy.ts";
import type { ScheduledPolicy, ScheduledPolicyOptions } from "./scheduled-policy.ts";

const VOCABULARY = 41;

export type HashPolicy = {
  readonly policy: ScheduledPolicy;
  /** Every backend that was opened; the last one is in use. */
  readonly backends: HashBackend[];
};

export async function openHashPolicy(
  backend: Partial<HashBackendOptions> = {},
  options: Partial<ScheduledPolicyOptions> = {},
): Promise<HashPolicy> {
  const backends: HashBackend[] = [];
  const policy = await createScheduledPolicy({
    openBackend: async () => {
      const opened = new HashBackend({ vocabularySize: VOCABULARY, ...backend });
      backends.push(opened);
      return opened;
    },
    client: { build: "0", backend: "node-cpu", device: "hash", crossOriginIsolated: false },
    baseModel: "5".repeat(64),
    contextLength: 1000,
    vocabularySize: VOCABULARY,
    ...options,
  });
  return { policy, backends };
}

/** An adapter that the hash backend distinguishes by rank. */
export const hashAdapter = (rank: number): Adapter => ({ rank, alpha: 1, tensors: new Map() });

export const hashPrompt = (length: number, seed = 0): number[] =>
  Array.from({ length }, (_, index) => (index * index * 5 + index * 3 + seed * 7 + 1) % VOCABULARY);

export const sampled = (seed: number, maxTokens: number): GenerateOptions => ({
  sampling: { ...FULL_SUPPORT, seed },
  stopTokenIds: [],
  maxTokens,
});

/** The tokens that a session samples after these tokens if it is alone and nothing fails. */
export async function undisturbed(
  tokenIds: readonly number[],
  options: GenerateOptions,
  adapter: Adapter | null = null,
): Promise<Sample> {
  const { policy } = await openHashPolicy();
  if (adapter !== null) await policy.setAdapter(1, adapter);
  const session = await policy.createContext();
  session.append(tokenIds);
  const sample = await session.generate(options);
  await policy.dispose();
  return sample;
}
