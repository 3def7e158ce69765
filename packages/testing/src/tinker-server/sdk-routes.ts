/**
 * The calls as the Tinker SDK expects its service to answer them: thinking-machines-lab/tinker 0.25.0
 * d595dc2ba62a1494aa0f452fe1d0dbb7b321b870, `src/tinker/{types,resources,proto}`, `lib/api_future_impl.py` and
 * `lib/internal_client_holder.py`. The service's own sources are not public; where the SDK leaves a choice, the
 * answer is SkyRL's. Left out: projects, billing, audit, tokens in place of keys, images and audio.
 */
import type { TrainEngine } from "@waggle/protocol";
import { invalid, numberMember, ok, requireSession, textMember } from "./sdk-json.ts";
import type { SdkOptions } from "./sdk-options.ts";
import { inSequence } from "./sdk-order.ts";
import { PROTOBUF_TYPE, writePassOutput, writeSampleOutput } from "./sdk-protobuf.ts";
import type { SampleResult } from "./sdk-protobuf.ts";
import { samplingRoutes } from "./sdk-sampling-routes.ts";
import { runPass, wireTensor } from "./tinker-passes.ts";
import { TinkerRefusal } from "./tinker-reply.ts";
import type { TinkerReply, TinkerRoutes } from "./tinker-reply.ts";
import { tarGz } from "./tar-writer.ts";
import type { TinkerModel, TinkerState } from "./tinker-state.ts";

type Json = { readonly [name: string]: unknown };

/** LoRA's alpha is not in the SDK's `LoraConfig`; the service's is 32, as SkyRL's. */
const ALPHA = 32;
const RUN = "/api/v1/training_runs/:model/checkpoints";

export function sdkRoutes(state: TinkerState, options: SdkOptions): TinkerRoutes {
  const { baseModel, exportFiles, longPollMs, weighting, clientConfig = {} } = options;
  const { inlineResultBytes = Infinity, reportsGradientNorm = true } = options;
  /** Requests of `create_model`, by session and number in it. */
  const created = new Map<string, { readonly requestId: string; readonly modelId: string }>();

  function modelOf(json: Json): TinkerModel {
    const model = state.models.get(textMember(json, "model_id"));
    if (model === undefined) throw new TinkerRefusal(404, { detail: "Model not found" });
    return model;
  }

  function future(json: Json, work: (engine: TrainEngine) => Promise<Json>): TinkerReply {
    const model = modelOf(json);
    const request_id = inSequence(state, model, json, async () => {
      if (model.engine === null) throw new Error(`Model ${model.id} not loaded`);
      return work(model.engine);
    });
    return ok({ request_id, model_id: model.id });
  }

  return {
    "GET /api/v1/healthz": () => ok({ status: "ok" }),
    "POST /api/v1/client/config": (json) => {
      textMember(json, "sdk_version");
      return ok({ pjwt_auth_enabled: false, proto_compress_fwdbwd: true, ...clientConfig });
    },
    "POST /api/v1/client/dynamic_config": () => ok({ refresh_interval_sec: 300 }),
    "POST /api/v1/telemetry": () => ok({ status: "accepted" }),
    "GET /api/v1/get_server_capabilities": () =>
      ok({ supported_models: [{ model_name: baseModel, max_context_length: 2048 }] }),

    "POST /api/v1/create_session": (json) => {
      if (!Array.isArray(json["tags"])) throw invalid("tags");
      textMember(json, "sdk_version");
      const session_id = `session-${state.nextNumber()}`;
      state.sessions.add(session_id);
      return ok({ type: "create_session", session_id });
    },
    "POST /api/v1/session_heartbeat": (json) => {
      requireSession(state, json);
      return ok({ type: "session_heartbeat" });
    },

    "POST /api/v1/create_model": (json) => {
      const session = requireSession(state, json);
      const number = numberMember(json, "model_seq_id");
      const key = `${session} ${number}`;
      const known = created.get(key);
      if (known !== undefined) {
        return ok({ request_id: known.requestId, model_id: known.modelId });
      }
      const { rank, seed } = (json["lora_config"] ?? {}) as { rank?: number; seed?: number };
      if (typeof rank !== "number" || rank < 1) throw invalid("lora_config");
      const base = textMember(json, "base_model");
      if (base !== baseModel) throw new TinkerRefusal(400, { detail: `no model ${base}` });
      const modelId = `${session}:train:${number}`;
      const model = state.addModel(modelId, { baseModel, rank, alpha: ALPHA, seed });
      const requestId = state.enqueue(crypto.randomUUID(), async () => {
        await state.startModel(model);
        return { type: "create_model", model_id: modelId };
      });
      created.set(key, { requestId, modelId });
      return ok({ request_id: requestId, model_id: modelId });
    },
    "POST /api/v1/unload_model": (json) => {
      const { id } = modelOf(json);
      const request_id = state.enqueue(crypto.randomUUID(), async () => {
        await state.stopModel(id);
        return { model_id: id, type: "unload_model" };
      });
      return ok({ request_id, model_id: id });
    },
    "POST /api/v1/get_info": (json) => {
      const { id, request } = modelOf(json);
      return ok({
        type: "get_info",
        model_id: id,
        model_data: { arch: "decoder", model_name: baseModel, tokenizer_id: baseModel },
        model_name: baseModel,
        is_lora: true,
        lora_rank: request.rank,
      });
    },

    "POST /api/v1/forward_backward": (json) => {
      const input = json["forward_backward_input"] as {
        readonly data?: readonly unknown[];
        readonly loss_fn: string;
      };
      if (!Array.isArray(input?.data)) throw invalid("forward_backward_input");
      const data = input.data as readonly unknown[];
      const run = {
        lossFunction: input.loss_fn,
        isBackward: json["forward_only"] !== true,
        weighting,
      };
      return future(json, async (engine) => {
        const { logProbs, losses } = await runPass(engine, data, run);
        return {
          loss_fn_output_type: "ArrayRecord",
          loss_fn_outputs: logProbs.map((row) => ({ logprobs: wireTensor(row) })),
          metrics: { "loss:sum": losses.flat().reduce((a, b) => a + b, 0) },
        };
      });
    },
    "POST /api/v1/optim_step": (json) =>
      future(json, async (engine) => {
        const params = (json["adam_params"] ?? {}) as { readonly [name: string]: number };
        const { gradientNorm } = await engine.optimStep({
          learningRate: params["learning_rate"] ?? 1e-4,
          beta1: params["beta1"] ?? 0.9,
          beta2: params["beta2"] ?? 0.95,
          epsilon: params["eps"] ?? 1e-12,
          weightDecay: params["weight_decay"] ?? 0,
          maxGradientNorm: params["grad_clip_norm"] ?? 0,
        });
        return { metrics: reportsGradientNorm ? { grad_norm: gradientNorm } : {} };
      }),

    "POST /api/v1/save_weights": (json) => {
      const model = modelOf(json);
      const name = nameOf(json) ?? `step-${String(json["seq_id"])}`;
      const path = `tinker://${model.id}/weights/${name}`;
      const isRepeat = model.repeats.has(json["seq_id"] as number);
      if (state.savedWeights.has(path) && json["overwrite"] !== true && !isRepeat) {
        throw new TinkerRefusal(409, { detail: `Checkpoint ${path} already exists` });
      }
      return future(json, async (engine) => {
        state.savedWeights.set(path, { checkpoint: await engine.save(), request: model.request });
        return { path, type: "save_weights" };
      });
    },
    "POST /api/v1/load_weights": (json) => {
      const model = modelOf(json);
      if (model.requests > 0 && !model.repeats.has(json["seq_id"] as number)) {
        const detail = `LoadWeights is not permitted with seq_id ${model.requests + 1}`;
        throw new TinkerRefusal(400, { detail });
      }
      const path = textMember(json, "path");
      const saved = state.savedWeights.get(path);
      if (saved === undefined) {
        throw new TinkerRefusal(404, { detail: `Checkpoint not found: ${path}` });
      }
      return future(json, async (engine) => {
        await engine.load(saved.checkpoint);
        return { path, model_id: model.id, type: "load_weights" };
      });
    },
    "POST /api/v1/save_weights_for_sampler": (json) => {
      const model = modelOf(json);
      const session = json["sampling_session_seq_id"];
      const name = nameOf(json) ?? `ss${String(session)}_seq${String(json["seq_id"])}`;
      const modelPath = `tinker://${model.id}/sampler_weights/${name}`;
      return future(json, async (engine) => {
        const files = exportFiles(await engine.parameters(), model.request);
        state.archives.set(`${model.id}/${name}`, tarGz(files));
        state.savedWeights.set(modelPath, {
          checkpoint: await engine.save(),
          request: model.request,
        });
        if (typeof session !== "number") {
          return { path: modelPath, type: "save_weights_for_sampler" };
        }
        const id = `${model.id}:sample:${session}`;
        state.samplers.set(id, { baseModel, modelPath });
        return { sampling_session_id: id, type: "save_weights_for_sampler" };
      });
    },
    "POST /api/v1/weights_info": (json) => {
      const saved = state.savedWeights.get(textMember(json, "tinker_path"));
      if (saved === undefined) throw new TinkerRefusal(404, { detail: "Checkpoint not found" });
      return ok({ base_model: baseModel, is_lora: true, lora_rank: saved.request.rank });
    },
    [`GET ${RUN}/sampler_weights/:name/archive`]: (_, { model, name }) => {
      if (state.archives.has(`${model}/${name}`)) {
        return { status: 302, location: `/archives/${model}/${name}` };
      }
      throw new TinkerRefusal(404, { detail: `Checkpoint not found: ${model}/${name}` });
    },
    "GET /archives/:model/:name": (_, { model, name }) => ({
      status: 200,
      bytes: state.archives.get(`${model}/${name}`) as Uint8Array,
    }),
    [`DELETE ${RUN}/sampler_weights/:name`]: (_, { model, name }) => ({
      status: state.archives.delete(`${model}/${name}`) ? 204 : 404,
      json: null,
    }),
    ...samplingRoutes(state, options),

    "POST /api/v1/retrieve_future": async (json, _, accept) => {
      const id = textMember(json, "request_id");
      const found = await state.future(id, longPollMs);
      if (found === undefined) throw new TinkerRefusal(404, { detail: "Future not found" });
      if (found.status === "pending") {
        throw new TinkerRefusal(408, { type: "try_again", request_id: id, queue_state: "active" });
      }
      if (found.status === "failed") return ok({ error: found.message, category: "user" });
      const reply = replyOf(found.result as Json, accept);
      const size = "bytes" in reply ? reply.bytes.length : JSON.stringify(found.result).length;
      if (json["allow_metadata_only"] === true && size > inlineResultBytes) {
        return ok({ status: "complete_metadata", response_payload_size: size });
      }
      return reply;
    },
  };
}

/** Name that the client gave to weights. */
function nameOf({ path }: Json): string | undefined {
  return typeof path === "string" ? path : undefined;
}

function replyOf(result: Json, accept: string): TinkerReply {
  if (!accept.includes(PROTOBUF_TYPE)) return ok(result);
  if (result["type"] === "sample") {
    return {
      status: 200,
      bytes: writeSampleOutput(result as unknown as SampleResult),
      type: PROTOBUF_TYPE,
    };
  }
  if (!Array.isArray(result["loss_fn_outputs"])) return ok(result);
  return { status: 200, bytes: writePassOutput(result), type: PROTOBUF_TYPE };
}
