/**
 * The calls as open-rl answers them: gke-labs/open-rl bfc0f090b48b47630c993b779f23f7c2c7d3b5e3,
 * `src/server/{gateway,clock_cycle,trainer,store}.py`. Sessions are one constant, `seq_id` is not
 * read, there is no `forward`, no `unload_model` and no download. Left out: sampling, telemetry.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { OptimizerOptions } from "@waggle/protocol";
import { runPass, wireTensor } from "./tinker-passes.ts";
import { TinkerRefusal } from "./tinker-reply.ts";
import type { TinkerReply, TinkerRoutes } from "./tinker-reply.ts";
import type { ExportFiles, TinkerModel, TinkerState } from "./tinker-state.ts";

export type OpenRlOptions = {
  readonly baseModel: string;
  readonly exportFiles: ExportFiles;
  readonly longPollMs: number;
  /** `OPEN_RL_TMP_DIR`: adapters lie below `peft/`. */
  readonly folder: string;
};

type Json = { readonly [name: string]: unknown };

export function openRlRoutes(state: TinkerState, options: OpenRlOptions): TinkerRoutes {
  const { baseModel, exportFiles, longPollMs, folder } = options;
  /** trainer.py, optim_step: betas, epsilon and decay are those of a model's first step. */
  const optimizers = new Map<string, OptimizerOptions>();

  /** clock_cycle.py: a model that is not there fails the request, not the call. */
  function future(
    json: Json,
    type: string,
    work: (model: TinkerModel) => Promise<Json>,
  ): TinkerReply {
    const id = text(json, "model_id");
    return enqueue(async () => {
      if ([...state.models.values()].every(({ engine }) => engine === null)) {
        throw new Error("Model must be loaded first.");
      }
      const model = state.models.get(id);
      if (!model?.engine) throw new Error(`Adapter ${id} not found.`);
      return { ...(await work(model)), type };
    });
  }

  function enqueue(work: () => Promise<Json>, id?: string): TinkerReply {
    return ok({ request_id: state.enqueue(id ?? crypto.randomUUID(), work) });
  }

  function pathOf(json: Json): string {
    const path = text(json, "path");
    return path.startsWith("/") ? path : join(folder, "checkpoints", path);
  }

  return {
    "GET /api/v1/healthz": () => ok({ status: "ok" }),
    "GET /api/v1/get_server_capabilities": () =>
      ok({
        supported_models: [{ model_name: baseModel }],
        default_model: baseModel,
        single_process: true,
      }),
    "POST /api/v1/create_session": () =>
      ok({ session_id: "sess-real-123", type: "create_session" }),
    "POST /api/v1/session_heartbeat": () => ok({ type: "session_heartbeat" }),
    "POST /api/v1/get_info": (json) =>
      ok({
        model_data: { arch: "unknown", model_name: baseModel, tokenizer_id: baseModel },
        model_id: json["model_id"] ?? "model-live-123",
        is_lora: true,
        lora_rank: 16, // whatever the model's is
        model_name: baseModel,
        type: "get_info",
      }),

    "POST /api/v1/create_model": (json) => {
      const lora = (json["lora_config"] ?? {}) as {
        readonly rank?: number;
        readonly lora_alpha?: number;
        readonly seed?: number;
      };
      const { rank = 16, lora_alpha: alpha = 16, seed } = lora;
      const id = crypto.randomUUID();
      const request = { baseModel: text(json, "base_model"), rank, alpha, seed };
      return enqueue(async () => {
        await state.startModel(state.addModel(id, request));
        return { model_id: id, is_lora: true, lora_rank: rank, type: "create_model" };
      }, id);
    },

    "POST /api/v1/forward_backward": (json) => {
      const input = (json["forward_backward_input"] ?? {}) as {
        readonly data?: readonly unknown[];
        readonly loss_fn?: string;
      };
      const { data = [], loss_fn: lossFunction = "cross_entropy" } = input;
      return future(json, "forward_backward", async ({ engine }) => {
        const run = { lossFunction, isBackward: true, weighting: "sum" } as const;
        const { logProbs, losses } = await runPass(engine as NonNullable<typeof engine>, data, run);
        const sum = losses.flat().reduce((a, b) => a + b, 0);
        return {
          metrics: { "loss:mean": sum / Math.max(1, data.length), "loss:sum": sum },
          loss_fn_outputs: logProbs.map((row) => ({ logprobs: wireTensor(row) })),
          loss_fn_output_type: "ArrayRecord",
        };
      });
    },
    "POST /api/v1/optim_step": (json) =>
      future(json, "optim_step", async ({ id, engine }) => {
        const params = (json["adam_params"] ?? {}) as { readonly [name: string]: number };
        const first = optimizers.get(id) ?? {
          learningRate: 0,
          beta1: params["beta1"] ?? 0.9,
          beta2: params["beta2"] ?? 0.95,
          epsilon: params["eps"] ?? 1e-12,
          weightDecay: params["weight_decay"] ?? 0,
        };
        optimizers.set(id, first);
        // trainer.py, _sanitize_float: infinity is written as 9999.
        const norm = await (engine as NonNullable<typeof engine>)
          .optimStep({
            ...first,
            learningRate: params["learning_rate"] ?? 1e-4,
            maxGradientNorm: params["grad_clip_norm"] ?? 0,
          })
          .then(
            ({ gradientNorm }) => gradientNorm,
            () => 9999,
          );
        return { metrics: { "grad_norm:mean": norm } };
      }),

    "POST /api/v1/save_weights": (json) =>
      future(json, "save_weights", async ({ engine, request }) => {
        const checkpoint = await (engine as NonNullable<typeof engine>).save();
        const path = pathOf(json);
        state.savedWeights.set(path, { checkpoint, request });
        return { path };
      }),
    "POST /api/v1/load_weights": (json) => {
      const id = text(json, "model_id");
      const path = pathOf(json);
      // trainer.py, load_from_state: the model need not be there.
      return enqueue(async () => {
        const saved = state.savedWeights.get(path);
        if (saved === undefined) throw new Error(`No metadata.json found at ${path}`);
        const model = state.models.get(id) ?? state.addModel(id, saved.request);
        await (await state.startModel(model)).load(saved.checkpoint);
        return { path, type: "load_weights" };
      });
    },
    "POST /api/v1/save_weights_for_sampler": (json) =>
      future(json, "save_weights_for_sampler", async ({ id, engine, request }) => {
        const parameters = await (engine as NonNullable<typeof engine>).parameters();
        const target = join(folder, "peft", id, id);
        mkdirSync(target, { recursive: true });
        for (const [name, bytes] of exportFiles(parameters, request)) {
          writeFileSync(join(target, name), bytes);
        }
        const session = `${id}-samp-${state.nextNumber()}`;
        return { path: `tinker://${session}`, sampling_session_id: session };
      }),

    "POST /api/v1/retrieve_future": async (json) => {
      const id = text(json, "request_id");
      const found = await state.future(id, longPollMs);
      if (found?.status === "done") return ok(found.result);
      if (found?.status === "failed") {
        const failure = { type: "RequestFailedResponse", error_message: found.message };
        throw new TinkerRefusal(400, failure);
      }
      // store.py, get_future: a request that nobody knows is pending too, for ever.
      return ok({ type: "try_again", request_id: id, queue_state: "active" });
    },
  };
}

function text(json: Json, member: string): string {
  const value = json[member];
  if (typeof value === "string" && value !== "") return value;
  throw new TinkerRefusal(400, { error: `${member} is required` });
}

function ok(json: unknown): TinkerReply {
  return { status: 200, json };
}
