/**
 * The policy of a run on an inference server. Finds the server, puts adapters where the server can read
 * them, and checks before the first step that it serves the model that is trained here.
 */
import { rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { ActingPolicy } from "@waggle/agent/environments";
import { FULL_SUPPORT, type TrainEngine, WaggleError } from "@waggle/protocol";
import {
  createServedPolicy,
  findServer,
  type PostOptions,
  type ServedPolicy,
} from "@waggle/runtime/openai-http";
import { writeOutput } from "../files/output.ts";
import { adapterFolderFiles } from "./adapter-folder.ts";
import type { BaseModel } from "./base-model.ts";

export type ServedSamplerOptions = PostOptions & {
  /** Origin of the server. */
  readonly url: string;
  /** Folder for adapters; the server must see it under the same path. */
  readonly folder: string;
};

/** Context limit if the server does not report one. */
const CONTEXT_LENGTH = 8192;
/** Adapters kept on disk: the newest, and those that running rollouts may still use. */
const KEPT = 4;
/** Requests are retried for half a minute, because servers start and restart. */
const RETRIES = 6;

/**
 * Opens the policy.
 * @throws WaggleError `NETWORK`, `CAPABILITY_MISSING` if the server cannot sample for training.
 */
export async function openServedSampler(
  model: BaseModel,
  { url, folder, ...post }: ServedSamplerOptions,
): Promise<ServedPolicy> {
  const found = await findServer(url, post);
  const written: string[] = [];
  return createServedPolicy({
    retries: RETRIES,
    ...post,
    origin: url,
    api: found.api,
    model: found.model,
    baseModel: model.reference.sha256,
    contextLength: Math.min(model.config.contextLength, found.contextLength ?? CONTEXT_LENGTH),
    vocabularySize: model.config.vocabularySize,
    storeAdapter: async (name, adapter) => {
      const path = resolve(folder, name);
      await writeOutput(path, adapterFolderFiles(adapter, model.config));
      written.push(path);
      const old = written.length > KEPT ? written.shift() : undefined;
      if (old !== undefined) await rm(old, { recursive: true, force: true });
      return path;
    },
  });
}

/** Difference between the log-probs of server and engine, in nats. */
export type SamplerAgreement = {
  readonly tokens: number;
  readonly gapMean: number;
  readonly gapMost: number;
};

/**
 * Half precision stays far below this limit; another model, or log-probs of another distribution, are
 * far above.
 */
const MOST_GAP_MEAN = 0.1;
const PROBES = 4;
const PROBE_TOKENS = 32;

/**
 * Samples a few tokens and scores them with the engine, which has the same parameters.
 *
 * @param prompt - tokens to continue.
 * @throws WaggleError `CAPABILITY_MISSING` if the two disagree.
 */
export async function samplerAgreement(
  policy: Pick<ActingPolicy, "createContext">,
  engine: Pick<TrainEngine, "forward">,
  prompt: readonly number[],
  stopTokenIds: readonly number[],
): Promise<SamplerAgreement> {
  const samples = await Promise.all(
    Array.from({ length: PROBES }, async (_, seed) => {
      const context = await policy.createContext();
      try {
        context.append(prompt);
        const sampling = { ...FULL_SUPPORT, seed };
        return await context.generate({ sampling, stopTokenIds, maxTokens: PROBE_TOKENS });
      } finally {
        context.dispose();
      }
    }),
  );
  const sequences = samples.map(({ tokenIds }) => ({ tokenIds: [...prompt, ...tokenIds] }));
  const { logProb } = await engine.forward({ sequences });
  const gaps = samples.flatMap(({ behaviorLogProbs }, i) =>
    behaviorLogProbs.map((value, t) =>
      Math.abs(value - (logProb[i]?.[prompt.length + t] ?? Number.NaN)),
    ),
  );
  const gapMean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
  const agreement = { tokens: gaps.length, gapMean, gapMost: Math.max(...gaps) };
  if (gapMean <= MOST_GAP_MEAN) return agreement;
  throw new WaggleError(
    "CAPABILITY_MISSING",
    `the server's log-probs differ from this machine's by ${gapMean.toFixed(3)} nats on average over ${gaps.length} tokens; ${MOST_GAP_MEAN} is the limit. It must serve the same base model, and report log-probs at temperature 1 (vLLM: --logprobs-mode raw_logprobs; SGLang: without a changed temperature)`,
  );
}

/** Default folder of a run for the server's adapters. */
export function samplerFolder(runFolder: string): string {
  return join(runFolder, "sampler-adapters");
}
