/**
 * The calls as SkyRL answers them: NovaSky-AI/SkyRL a9564572eb8e91076be43c1bd5e4615e3de17265,
 * `skyrl/tinker/api.py` and `engine.py` with the FSDP or Megatron backend. Left out: sampling,
 * critics, protobuf, telemetry.
 */
import type { OptimizerOptions, TrainEngine } from "@waggle/protocol";
import { runPass, wireTensor } from "./tinker-passes.ts";
import { TinkerRefusal } from "./tinker-reply.ts";
import type { TinkerReply, TinkerRoutes } from "./tinker-reply.ts";
import { tarGz } from "./tar-writer.ts";
import type { ExportFiles, TinkerModel, TinkerState } from "./tinker-state.ts";

export type SkyrlOptions = {
  readonly baseModel: string;
  readonly exportFiles: ExportFiles;
  readonly longPollMs: number;
  readonly weighting: "sum" | "mean";
  /** AdamW's settings but the rate, which alone is a call's (skyrl_train_backend.py, optim_step). */
  readonly optimizer: Omit<OptimizerOptions, "learningRate">;
  /** skyrl_train_backend.py, create_model. */
  readonly holdsOneModel?: boolean;
};

type Json = { readonly [name: string]: unknown };

/** api.py, ID_PATTERN. */
const ID = /^[a-zA-Z0-9_-]{1,255}$/;

export function skyrlRoutes(state: TinkerState, options: SkyrlOptions): TinkerRoutes {
  const { baseModel, exportFiles, longPollMs, weighting, optimizer } = options;
  const { holdsOneModel = false } = options;

  function modelOf(json: Json): TinkerModel {
    const model = state.models.get(text(json, "model_id"));
    if (model === undefined) throw new TinkerRefusal(404, { detail: "Model not found" });
    return model;
  }

  /** api.py, create_future: one request for a `seq_id`, however often it comes. */
  function future(
    model: TinkerModel,
    json: Json,
    kind: string,
    work: (engine: TrainEngine) => Promise<unknown>,
  ): TinkerReply {
    const seq = typeof json["seq_id"] === "number" ? json["seq_id"] : null;
    const content = `${kind} ${JSON.stringify(json)}`;
    const known = seq === null ? undefined : model.repeats.get(seq);
    if (known !== undefined && known.content !== content) {
      throw new TinkerRefusal(409, { detail: "Training request sequence number was reused" });
    }
    if (known !== undefined) return accepted(known.requestId);
    const requestId = state.enqueue(String(state.nextNumber()), async () => {
      if (model.engine === null) throw new Error(`Model ${model.id} not loaded`);
      return work(model.engine);
    });
    model.requests += 1;
    if (seq !== null) model.repeats.set(seq, { content, requestId });
    return accepted(requestId);
  }

  function pass(json: Json, member: string, isBackward: boolean): TinkerReply {
    const model = modelOf(json);
    const input = json[member] as { readonly data: readonly unknown[]; readonly loss_fn: string };
    if (!Array.isArray(input?.data)) throw invalid(member);
    const run = { lossFunction: input.loss_fn, isBackward, weighting };
    return future(model, json, isBackward ? "forward_backward" : "forward", async (engine) => {
      const { logProbs, losses } = await runPass(engine, input.data, run);
      const loss = losses.flat().reduce((a, b) => a + b, 0);
      return {
        loss_fn_output_type: "scalar",
        loss_fn_outputs: logProbs.map((row, i) => ({
          logprobs: wireTensor(row),
          ...(isBackward ? { elementwise_loss: wireTensor(losses[i] ?? []) } : {}),
        })),
        metrics: isBackward ? { "total_loss:sum": loss } : {},
      };
    });
  }

  return {
    "GET /": () => ok({ name: "Tinker API Mock", version: "0.0.1" }),
    "GET /api/v1/healthz": () => ok({ status: "ok" }),
    "GET /api/v1/get_server_capabilities": () =>
      ok({ supported_models: [{ model_name: baseModel }] }),

    "POST /api/v1/create_session": (json) => {
      if (!Array.isArray(json["tags"])) throw invalid("tags");
      const id = `session_${state.nextNumber()}`;
      state.sessions.add(id);
      return ok({ type: "create_session", session_id: id });
    },
    "POST /api/v1/session_heartbeat": (json) => {
      requireSession(state, json);
      return ok({ type: "session_heartbeat" });
    },

    "POST /api/v1/create_model": (json) => {
      requireSession(state, json);
      const lora = (json["lora_config"] ?? {}) as {
        readonly rank?: number;
        readonly seed?: number;
      };
      if (typeof lora.rank !== "number") throw invalid("lora_config");
      const request = {
        baseModel: text(json, "base_model"),
        rank: lora.rank,
        alpha: 32,
        seed: lora.seed,
      };
      const model = state.addModel(`model_${state.nextNumber()}`, request);
      const requestId = state.enqueue(String(state.nextNumber()), async () => {
        const held = [...state.models.values()].find(({ engine }) => engine !== null);
        if (holdsOneModel && held !== undefined) {
          throw new Error(`Model '${held.id}' already exists. Only one model supported.`);
        }
        await state.startModel(model);
        return { model_id: model.id, base_model: baseModel, lora_config: lora };
      });
      return ok({
        model_id: model.id,
        base_model: baseModel,
        status: "created",
        request_id: requestId,
      });
    },
    "POST /api/v1/unload_model": (json) => {
      const { id } = modelOf(json);
      const requestId = state.enqueue(String(state.nextNumber()), async () => {
        await state.stopModel(id);
        return { model_id: id, status: "unloaded", type: "unload_model" };
      });
      return ok({ request_id: requestId, model_id: id });
    },
    "POST /api/v1/get_info": (json) => {
      const { id, request } = modelOf(json);
      const model = {
        base_model: baseModel,
        lora_config: { rank: request.rank },
        model_name: baseModel,
      };
      return ok({ model_id: id, status: "created", model_data: model });
    },

    "POST /api/v1/forward": (json) => pass(json, "forward_input", false),
    "POST /api/v1/forward_backward": (json) => pass(json, "forward_backward_input", true),
    "POST /api/v1/optim_step": (json) =>
      future(modelOf(json), json, "optim_step", async (engine) => {
        const { learning_rate: learningRate = 1e-4 } = json["adam_params"] as Json;
        // fsdp_strategy.py: a norm that is not finite leaves the step out; pydantic writes it as null.
        const step = { ...optimizer, learningRate: learningRate as number };
        const norm = await engine.optimStep(step).then(
          ({ gradientNorm }) => gradientNorm,
          () => null,
        );
        return { metrics: { "skyrl.ai/grad_norm": norm, "skyrl.ai/learning_rate": learningRate } };
      }),

    "POST /api/v1/save_weights": (json) => {
      const model = modelOf(json);
      const name = checkpointName(json);
      const path = `tinker://${model.id}/weights/${name}`;
      if (state.savedWeights.has(path)) {
        const detail = `Checkpoint '${name}' already exists for model '${model.id}'`;
        throw new TinkerRefusal(409, { detail });
      }
      return future(model, {}, "save_weights", async (engine) => {
        state.savedWeights.set(path, { checkpoint: await engine.save(), request: model.request });
        return { path, type: "save_weights" };
      });
    },
    "POST /api/v1/load_weights": (json) => {
      const model = modelOf(json);
      if (model.requests > 0) {
        const detail = `LoadWeights is not permitted with seq_id ${model.requests + 1}`;
        throw new TinkerRefusal(400, { detail });
      }
      const path = text(json, "path");
      const saved = state.savedWeights.get(path);
      if (saved === undefined) {
        throw new TinkerRefusal(404, { detail: `Checkpoint not found: ${path.slice(9)}` });
      }
      return future(model, {}, "load_weights", async (engine) => {
        await engine.load(saved.checkpoint);
        return { type: "load_weights" };
      });
    },
    "POST /api/v1/save_weights_for_sampler": (json) => {
      const model = modelOf(json);
      const name = checkpointName(json);
      return future(model, {}, "save_weights_for_sampler", async (engine) => {
        const files = exportFiles(await engine.parameters(), model.request);
        state.archives.set(`${model.id}/${name}`, tarGz(files));
        return { path: `tinker://${model.id}/${name}`, type: "save_weights_for_sampler" };
      });
    },
    "GET /api/v1/training_runs/:model/checkpoints/:name/archive": (_, { model, name }) => ({
      status: 302,
      location: `/api/v1/training_runs/${model}/checkpoints/${name}/download`,
    }),
    "GET /api/v1/training_runs/:model/checkpoints/:name/download": (_, { model, name }) => {
      const bytes = state.archives.get(`${model}/${name}`);
      if (bytes !== undefined) return { status: 200, bytes };
      throw new TinkerRefusal(404, { detail: `Checkpoint not found: ${model}/${name}` });
    },
    "DELETE /api/v1/training_runs/:model/checkpoints/sampler_weights/:name": (
      _,
      { model, name },
    ) => ({ status: state.archives.delete(`${model}/${name}`) ? 204 : 404, json: null }),

    "POST /api/v1/retrieve_future": async (json) => {
      const found = await state.future(text(json, "request_id"), longPollMs);
      if (found === undefined) throw new TinkerRefusal(404, { detail: "Future not found" });
      if (found.status === "done") return ok(found.result);
      if (found.status === "failed") throw new TinkerRefusal(400, { detail: found.message });
      throw new TinkerRefusal(408, { detail: "Timeout waiting for result" });
    },
  };
}

function requireSession(state: TinkerState, json: Json): void {
  if (!state.sessions.has(text(json, "session_id"))) {
    throw new TinkerRefusal(404, { detail: "Session not found" });
  }
}

function checkpointName(json: Json): string {
  const name = text(json, "path");
  if (!ID.test(name)) throw invalid("path");
  return name;
}

function text(json: Json, member: string): string {
  const value = json[member];
  if (typeof value === "string") return value;
  throw invalid(member);
}

/** FastAPI's refusal of a body. */
function invalid(member: string): TinkerRefusal {
  const detail = [{ type: "value_error", loc: ["body", member], msg: "Field required" }];
  return new TinkerRefusal(422, { detail });
}

function accepted(requestId: string): TinkerReply {
  return ok({ future_id: requestId, status: "pending", request_id: requestId });
}

function ok(json: unknown): TinkerReply {
  return { status: 200, json };
}
