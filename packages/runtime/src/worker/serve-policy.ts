/** The worker's side: a decoder policy behind messages. Which onnxruntime runs it is passed in. */
import { parseDecoderConfig, readModelWeights } from "@waggle/model";
import { boundary, WaggleError } from "@waggle/protocol";
import type { PolicyContext } from "@waggle/protocol";
import type * as OrtWeb from "onnxruntime-web";
import { RUNTIME_BUILD } from "../build.ts";
import { createDecoderPolicy } from "../decoder-policy.ts";
import type { DecoderPolicy } from "../decoder-policy.ts";
import { decodeRowsFor, defaultContextLength, runTokensFor, WEBGPU_RUN_TOKENS } from "../limits.ts";
import { createOrtBackend } from "../ort-session.ts";
import { webgpuSessionOptions, gpuPlacer } from "./gpu-tensors.ts";
import { createNextTask, createPause } from "./pause.ts";
import type {
  AnswerTo,
  BrowserDevice,
  MessageEndpoint,
  OpenRequest,
  RequestEnvelope,
  WorkerMessage,
  WorkerRequest,
} from "./messages.ts";

type Held = { readonly context: PolicyContext; abort: AbortController | null };

/**
 * Answers requests from `endpoint` until it is closed.
 *
 * @param ort - the build of onnxruntime-web that has the device's provider.
 */
export function servePolicy(
  endpoint: MessageEndpoint,
  ort: typeof OrtWeb,
  device: BrowserDevice,
): void {
  const server = new PolicyServer(ort, device);
  const post = (message: WorkerMessage): void => endpoint.postMessage(message);
  endpoint.addEventListener("message", (event) => {
    const { id, request } = event.data as RequestEnvelope;
    const onToken = (tokenId: number): void => post({ kind: "token", id, tokenId });
    server.answer(request, onToken).then(
      (value) => post({ kind: "answer", id, value }),
      (error: unknown) => post({ kind: "error", id, error: toWireError(error) }),
    );
  });
}

function toWireError(error: unknown): {
  code: WaggleError["code"];
  message: string;
  retryable: boolean;
} {
  if (WaggleError.is(error)) {
    return { code: error.code, message: error.message, retryable: error.retryable };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { code: "INTERNAL", message: message.slice(0, 500), retryable: false };
}

class PolicyServer {
  readonly #ort: typeof OrtWeb;
  readonly #device: BrowserDevice;
  readonly #contexts = new Map<number, Held>();
  #policy: DecoderPolicy | null = null;
  #nextContextId = 1;

  constructor(ort: typeof OrtWeb, device: BrowserDevice) {
    this.#ort = ort;
    this.#device = device;
  }

  async answer<R extends WorkerRequest>(
    request: R,
    onToken: (tokenId: number) => void,
  ): Promise<AnswerTo<R>> {
    return (await this.#dispatch(request, onToken)) as AnswerTo<R>;
  }

  async #dispatch(request: WorkerRequest, onToken: (tokenId: number) => void): Promise<unknown> {
    switch (request.kind) {
      case "open": {
        this.#policy = await openPolicy(this.#ort, this.#device, request);
        const { contextLength, vocabularySize } = this.#policy;
        return { contextLength, vocabularySize };
      }
      case "set-adapter":
        return this.#opened().setAdapter(request.version, request.adapter);
      case "create-context": {
        const context = await this.#opened().createContext();
        const contextId = this.#nextContextId++;
        this.#contexts.set(contextId, { context, abort: null });
        return { contextId, policyVersion: context.policyVersion };
      }
      case "append":
        return this.#held(request.contextId).context.append(request.tokenIds);
      case "adopt":
        return this.#held(request.contextId).context.adoptCurrentVersion();
      case "dispose-context": {
        this.#held(request.contextId).context.dispose();
        this.#contexts.delete(request.contextId);
        return undefined;
      }
      case "generate": {
        const held = this.#held(request.contextId);
        held.abort = new AbortController();
        const sample = await held.context.generate({
          ...request.options,
          signal: held.abort.signal,
          ...(request.wantsTokens && { onToken }),
        });
        return { sample, policyVersion: held.context.policyVersion };
      }
      case "abort": {
        this.#contexts.get(request.contextId)?.abort?.abort();
        return undefined;
      }
      case "score-many":
        return this.#opened().scoreMany(request.requests);
      case "dispose":
        return this.#policy?.dispose();
    }
  }

  #opened(): DecoderPolicy {
    if (this.#policy !== null) return this.#policy;
    throw new WaggleError("INTERNAL", "a worker must be opened first, got another request");
  }

  #held(contextId: number): Held {
    const held = this.#contexts.get(contextId);
    if (held !== undefined) return held;
    throw new WaggleError(
      "DISPOSED",
      `a context must be alive, got ${contextId}; create a new one`,
    );
  }
}

async function openPolicy(
  ort: typeof OrtWeb,
  device: BrowserDevice,
  request: OpenRequest,
): Promise<DecoderPolicy> {
  const configBytes = request.files.get("config.json");
  if (configBytes === undefined) {
    throw new WaggleError(
      "MODEL_CORRUPT",
      `a model must hold config.json, got ${[...request.files.keys()].join(", ")}; add the file`,
    );
  }
  const config = parseDecoderConfig(JSON.parse(new TextDecoder().decode(configBytes)));
  const weights = await readModelWeights(request.files);
  const contextLength = request.contextLength ?? defaultContextLength(config);
  const isGpu = device === "webgpu";
  ort.env.wasm.numThreads = request.threads;
  ort.env.logLevel = "error";
  const backend = createOrtBackend({
    runtime: ort,
    config,
    weights,
    maxPositions: contextLength,
    sessionOptions: isGpu ? webgpuSessionOptions(config) : { executionProviders: ["wasm"] },
    maxRunTokens: request.maxRunTokens ?? (isGpu ? WEBGPU_RUN_TOKENS : runTokensFor(config)),
    maxRows: isGpu ? 1 : decodeRowsFor(config),
    adapterStrategy: request.adapterStrategy ?? (isGpu ? "inputs" : "merge"),
    adapterRank: request.adapterRank,
    place: isGpu ? gpuPlacer(ort) : undefined,
  });
  const nextTask = createNextTask();
  return boundary("device", () =>
    createDecoderPolicy({
      backend,
      // The page knows the adapter and its own isolation; what a worker would say is never read.
      client: { build: RUNTIME_BUILD, backend: device, device, crossOriginIsolated: false },
      baseModel: request.baseModel,
      contextLength,
      vocabularySize: config.vocabularySize,
      scoresInRows: !isGpu,
      nextTask,
      pause: createPause(nextTask),
    }),
  );
}
