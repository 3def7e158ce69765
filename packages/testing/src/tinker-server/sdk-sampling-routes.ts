/** Sampling sessions and samples, as the Tinker SDK asks for them. See sdk-routes.ts for the source. */
import type { TrainEngine } from "@waggle/protocol";
import { numberMember, ok, requireSession, textMember } from "./sdk-json.ts";
import type { SdkOptions } from "./sdk-options.ts";
import { promptLogProbs, sampleTokens } from "./sdk-sampler.ts";
import type { SamplingParams } from "./sdk-sampler.ts";
import { TinkerRefusal } from "./tinker-reply.ts";
import type { TinkerRoutes } from "./tinker-reply.ts";
import type { Sampler, TinkerState } from "./tinker-state.ts";

type Json = { readonly [name: string]: unknown };

export function samplingRoutes(state: TinkerState, options: SdkOptions): TinkerRoutes {
  const { baseModel, createEngine, vocabularySize } = options;
  /** Requests by sampling session and `seq_id`. They may come in any order. */
  const sampled = new Map<string, string>();

  function samplerOf(json: Json): Sampler {
    const id = json["sampling_session_id"];
    if (typeof id !== "string") {
      const path = json["model_path"];
      return { baseModel, modelPath: typeof path === "string" ? path : null };
    }
    const sampler = state.samplers.get(id);
    if (sampler === undefined) {
      throw new TinkerRefusal(404, { detail: "Sampling session not found" });
    }
    return sampler;
  }

  /** An engine with the sampler's weights. The base model is a fresh adapter over it. */
  async function withEngine<T>(
    { modelPath }: Sampler,
    work: (engine: TrainEngine) => Promise<T>,
  ): Promise<T> {
    const saved = modelPath === null ? undefined : state.savedWeights.get(modelPath);
    if (modelPath !== null && saved === undefined) throw new Error(`${modelPath} not found`);
    const fresh = { baseModel, rank: 1, alpha: 1, seed: 1 };
    const engine = await createEngine(saved?.request ?? fresh);
    try {
      if (saved !== undefined) await engine.load(saved.checkpoint);
      return await work(engine);
    } finally {
      await engine.dispose();
    }
  }

  return {
    "POST /api/v1/create_sampling_session": (json) => {
      const session = requireSession(state, json);
      const number = numberMember(json, "sampling_session_seq_id");
      const { base_model: base, model_path: path } = json;
      if ((base === undefined) === (path === undefined)) {
        const detail = "Exactly one of base_model or model_path must be provided";
        throw new TinkerRefusal(400, { detail });
      }
      const id = `${session}:sample:${number}`;
      state.samplers.set(id, { baseModel, modelPath: typeof path === "string" ? path : null });
      return ok({ type: "create_sampling_session", sampling_session_id: id });
    },
    "GET /api/v1/samplers/:sampler": (_, { sampler: id }) => {
      const sampler = state.samplers.get(decodeURIComponent(id as string));
      if (sampler === undefined) throw new TinkerRefusal(404, { detail: "Sampler not found" });
      const { modelPath } = sampler;
      return ok({
        sampler_id: decodeURIComponent(id as string),
        base_model: baseModel,
        ...(modelPath === null ? {} : { model_path: modelPath }),
      });
    },
    "POST /api/v1/asample": (json) => {
      if (vocabularySize === undefined) {
        throw new TinkerRefusal(400, { detail: "this server samples if it has vocabularySize" });
      }
      const sampler = samplerOf(json);
      const { chunks } = json["prompt"] as { chunks: readonly { tokens: readonly number[] }[] };
      const prompt = chunks.flatMap(({ tokens }) => tokens);
      const params = json["sampling_params"] as SamplingParams;
      const count = typeof json["num_samples"] === "number" ? json["num_samples"] : 1;
      const key =
        typeof json["seq_id"] === "number"
          ? `${textMember(json, "sampling_session_id")} ${json["seq_id"]}`
          : crypto.randomUUID();
      const known = sampled.get(key);
      if (known !== undefined) return ok({ request_id: known });
      const request_id = state.enqueue(crypto.randomUUID(), () =>
        withEngine(sampler, async (engine) => {
          const sequences = [];
          for (let place = 0; place < count; place++) {
            sequences.push(await sampleTokens(engine, vocabularySize, prompt, params, place));
          }
          const asked = json["prompt_logprobs"] === true;
          return {
            type: "sample",
            sequences,
            ...(asked ? { prompt_logprobs: await promptLogProbs(engine, prompt) } : {}),
          };
        }),
      );
      sampled.set(key, request_id);
      return ok({ request_id });
    },
  };
}
