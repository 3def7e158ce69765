/**
 * One training session on a server of the Tinker API: calls, futures, and which calls may be
 * repeated. It has at most one model. `RemoteEngine` builds on it and knows batches and step
 * counts.
 */
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { OptimizerOptions } from "@waggle/protocol";
import { WaggleError, WAGGLE_VERSION } from "@waggle/protocol";
import { downloadArchive } from "./archive-download.ts";
import type { BodyEncoding } from "./body-encoding.ts";
import type { HttpTransport } from "./http-transport.ts";
import { listMember, memberOf, textMember } from "./json-members.ts";
import { failedRequest, refusalText } from "./server-error.ts";
import type { ServerFlavor } from "./server-flavor.ts";
import type { Datum } from "./wire-batch.ts";

export type TinkerClientOptions = {
  readonly transport: HttpTransport;
  readonly flavor: ServerFlavor;
  readonly baseModel: string;
  readonly rank: number;
  readonly alpha: number;
  readonly seed: number | undefined;
  /** Longest wait from a request to its result, in milliseconds. */
  readonly resultTimeoutMs: number;
  readonly heartbeatMs: number;
};

/** Longest time of one `retrieve_future` call, as in the SDK. */
const POLL_TIMEOUT_MS = 45_000;
/** Pause before polling again a server that immediately says "try again". */
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 1000;
const NAMED_ATTEMPTS = 3;

export class TinkerClient {
  #flavor: ServerFlavor;
  readonly #options: TinkerClientOptions;
  #session: string | null = null;
  #model: string | null = null;
  /** `seq_id` of the model's next request. */
  #sequence = 1;
  /** Models created in the session. */
  #models = 0;
  /** The request whose `seq_id` the server may lack, so that it would hold back the next ones. */
  #gap: string | null = null;
  #encoding: BodyEncoding = "identity";
  #heartbeat: NodeJS.Timeout | null = null;

  constructor(options: TinkerClientOptions) {
    this.#flavor = options.flavor;
    this.#options = options;
  }

  get flavor(): ServerFlavor {
    return this.#flavor;
  }

  /** Replaces what is guessed of the server. */
  use(found: Pick<ServerFlavor, "hasForward" | "knowsRepeats">): void {
    this.#flavor = { ...this.#flavor, ...found };
  }

  /** Encoding of the bodies of passes; detected by `openSession`. */
  get encoding(): BodyEncoding {
    return this.#encoding;
  }

  /**
   * Opens a session and keeps it alive until `close`; a server unloads the models of a silent one.
   */
  async openSession(): Promise<void> {
    const json = {
      tags: ["waggle"],
      user_metadata: {},
      sdk_version: `waggle-${WAGGLE_VERSION}`,
      type: "create_session",
    };
    this.#session = textMember(
      await this.#post("create_session", json, true),
      "session_id",
      "create_session",
    );
    this.#models = 0;
    this.#encoding = await this.#understoodEncoding();
    clearInterval(this.#heartbeat ?? undefined);
    // If a heartbeat fails, the next request fails with a better error.
    this.#heartbeat = setInterval(
      () => void this.#post("session_heartbeat", this.#heartbeatJson(), true).catch(() => {}),
      this.#options.heartbeatMs,
    ).unref();
  }

  /** Creates the model that the other calls use. */
  async createModel(): Promise<void> {
    const { baseModel, rank, alpha, seed } = this.#options;
    const sessionId = this.#session as string;
    const place = this.#models++;
    const request = this.#flavor.createModel({ sessionId, place, baseModel, rank, alpha, seed });
    const result = await this.#result("create_model", request, false);
    this.#model = textMember(result, "model_id", "create_model");
    this.#sequence = 1;
    this.#gap = null;
  }

  /** Frees the model's memory, if the server supports it. */
  async unloadModel(): Promise<void> {
    if (this.#model === null || !this.#flavor.unloads) return;
    const json = { model_id: this.#model, type: "unload_model" };
    this.#model = null;
    try {
      await this.#result("unload_model", json, true);
    } catch (error) {
      // A server without this call unloads the model some time after its session.
      if (!this.#flavor.isGuessed || !WaggleError.is(error, "NOT_FOUND")) throw error;
    }
  }

  /** Whether a pass that is sent again with its `seq_id` is the same request for the server. */
  async repeatsPass(data: readonly Datum[]): Promise<boolean> {
    const json = { ...this.#pass("forward_backward", data), seq_id: this.#sequence++ };
    const send = async (): Promise<string> =>
      requestIdOf("forward_backward", await this.#post("forward_backward", json, false));
    const first = await send();
    const second = await send().catch(() => null);
    for (const id of new Set([first, second ?? first]))
      await this.#retrieve("forward_backward", id);
    return first === second;
  }

  /** Whether `/forward` exists. */
  async hasForward(data: readonly Datum[]): Promise<boolean> {
    try {
      await this.#passes("forward", [data], true);
      return true;
    } catch (error) {
      if (WaggleError.is(error, "NETWORK") || WaggleError.is(error, "TIMEOUT")) throw error;
      return false;
    }
  }

  /** Log-probs `[targets]` of each datum, without gradients. */
  async forward(requests: readonly (readonly Datum[])[]): Promise<number[][]> {
    if (this.#flavor.hasForward) return this.#passes("forward", requests, true);
    // Repeated passes with zero weights do no harm, unless the server brings requests into an order.
    const { isOrdered, knowsRepeats } = this.#flavor;
    return this.#passes("forward_backward", requests, knowsRepeats || !isOrdered);
  }

  /**
   * Adds gradients. All requests are sent before the first result is awaited.
   * @throws WaggleError; the server may then have added some of them.
   */
  async backward(requests: readonly (readonly Datum[])[]): Promise<number[][]> {
    return this.#passes("forward_backward", requests, this.#flavor.knowsRepeats);
  }

  /** @returns the server's gradient norm: NaN where it sends null, undefined if it sends none. */
  async optimStep(options: OptimizerOptions): Promise<number | undefined> {
    const json = { model_id: this.#model, adam_params: this.#flavor.adamParams(options) };
    const post = this.#postNext("optim_step", json, this.#flavor.knowsRepeats);
    const result = await this.#retrieve("optim_step", requestIdOf("optim_step", await post));
    const metrics = memberOf(result, "metrics");
    const name = Object.keys(metrics ?? {}).find((key) => this.#flavor.gradientNorm.test(key));
    if (name === undefined) return undefined;
    const norm = memberOf(metrics, name);
    return typeof norm === "number" ? norm : Number.NaN;
  }

  /** Saves weights and moments on the server. @returns their path there. */
  async saveWeights(step: number): Promise<string> {
    return this.#named(`step-${step}`, async (name) => {
      const json = this.#flavor.saveWeights(this.#model as string, name);
      return textMember(await this.#saved("save_weights", json), "path", "save_weights");
    });
  }

  /** Loads weights and moments saved by any model of this server into the model. */
  async loadWeights(path: string): Promise<void> {
    const { isOrdered, loadsInPlace } = this.#flavor;
    const json = {
      model_id: this.#model,
      path,
      optimizer: true,
      ...(isOrdered ? { seq_id: this.#sequence++ } : {}),
    };
    await this.#result("load_weights", json, loadsInPlace);
  }

  /** Saves weights for samplers. @returns model and name under which the server wrote them. */
  async saveForSampler(): Promise<{ readonly modelId: string; readonly name: string }> {
    const modelId = this.#model as string;
    return this.#named("sampler", async (name) => {
      await this.#saved("save_weights_for_sampler", { model_id: modelId, path: name });
      return { modelId, name };
    });
  }

  /** Downloads the archive of `saveForSampler` and lets the server delete it. */
  downloadArchive(modelId: string, name: string): Promise<Uint8Array> {
    const { transport, resultTimeoutMs } = this.#options;
    return downloadArchive(transport, {
      flavor: this.#flavor,
      modelId,
      name,
      timeoutMs: resultTimeoutMs,
    });
  }

  /** Stops the heartbeat. The server ends the session and its models some minutes later. */
  close(): void {
    clearInterval(this.#heartbeat ?? undefined);
    this.#heartbeat = null;
  }

  async #passes(
    name: "forward" | "forward_backward",
    requests: readonly (readonly Datum[])[],
    isRepeatable: boolean,
  ): Promise<number[][]> {
    const encoding =
      this.#encoding === "zstd" && name !== "forward_backward" ? "identity" : this.#encoding;
    const futures: string[] = [];
    for (const data of requests) {
      const json = this.#pass(name, data);
      futures.push(requestIdOf(name, await this.#postNext(name, json, isRepeatable, encoding)));
    }
    const logProbs: number[][] = [];
    for (const [index, future] of futures.entries()) {
      const outputs = listMember(await this.#retrieve(name, future), "loss_fn_outputs", name);
      const data = requests[index] as readonly Datum[];
      data.forEach((datum, place) => logProbs.push(logProbsOf(name, outputs[place], datum)));
    }
    return logProbs;
  }

  #pass(name: "forward" | "forward_backward", data: readonly Datum[]): object {
    const member = name === "forward" ? "forward_input" : "forward_backward_input";
    return { model_id: this.#model, [member]: { data, loss_fn: "cross_entropy" } };
  }

  /** Sends a request with the model's next `seq_id`. */
  async #postNext(
    name: string,
    json: object,
    isRepeatable: boolean,
    encoding?: BodyEncoding,
  ): Promise<unknown> {
    if (this.#gap !== null) {
      throw new WaggleError(
        "DEVICE_LOST",
        `the server may wait for a lost ${this.#gap} before it does anything else for this model; load() the last checkpoint`,
        { retryable: true },
      );
    }
    const seq_id = this.#sequence++;
    try {
      return await this.#post(name, { ...json, seq_id }, isRepeatable, encoding);
    } catch (error) {
      if (!this.#flavor.isOrdered) throw error;
      if (WaggleError.is(error, "NETWORK")) this.#gap = name;
      // A refused request has not used the number.
      else this.#sequence -= 1;
      throw error;
    }
  }

  /** The result of a request that saves. A repeated one would find its name taken. */
  async #saved(name: string, json: object): Promise<unknown> {
    if (!this.#flavor.isOrdered) return this.#result(name, json, false);
    const id = requestIdOf(name, await this.#postNext(name, json, this.#flavor.knowsRepeats));
    return this.#retrieve(name, id);
  }

  /**
   * A call that writes under a name. Retries use a new name: a name that is taken is refused, and what a
   * lost call has written does no harm.
   */
  async #named<T>(prefix: string, call: (name: string) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await call(`${prefix}-${randomUUID().slice(0, 8)}`);
      } catch (error) {
        const mayRetry = WaggleError.is(error, "NETWORK") && !this.#flavor.isOrdered;
        if (!mayRetry || attempt >= NAMED_ATTEMPTS) throw error;
      }
    }
  }

  #heartbeatJson(): { readonly [name: string]: unknown } {
    return { session_id: this.#session, type: "session_heartbeat" };
  }

  /** Sends a request and waits for its result. */
  async #result(name: string, json: unknown, isRepeatable: boolean): Promise<unknown> {
    return this.#retrieve(name, requestIdOf(name, await this.#post(name, json, isRepeatable)));
  }

  async #post(
    name: string,
    json: unknown,
    isRepeatable: boolean,
    encoding: BodyEncoding = this.#encoding === "gzip" ? "gzip" : "identity",
  ): Promise<unknown> {
    const path = `/api/v1/${name}`;
    const { transport } = this.#options;
    return (await transport.sendJson({ method: "POST", path, json, isRepeatable, encoding })).json;
  }

  /** Polls a future. Without a result yet, SkyRL returns 408, open-rl `try_again`. */
  async #retrieve(name: string, requestId: string): Promise<unknown> {
    const { transport, resultTimeoutMs } = this.#options;
    const deadline = performance.now() + resultTimeoutMs;
    for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(LONGEST_PAUSE_MS, 2 * wait)) {
      const askedAt = performance.now();
      const { status, json } = await transport.sendJson({
        method: "POST",
        path: "/api/v1/retrieve_future",
        json: { request_id: requestId },
        isRepeatable: true,
        timeoutMs: POLL_TIMEOUT_MS,
        accepts: [400, 408],
      });
      const type = memberOf(json, "type");
      const isPending = status === 408 || type === "try_again";
      const isFailed =
        status === 400 || type === "RequestFailedResponse" || isRefusal(memberOf(json, "error"));
      if (!isPending) {
        if (isFailed) throw failedRequest(name, refusalText(json));
        return json;
      }
      if (performance.now() >= deadline) {
        throw new WaggleError(
          "TIMEOUT",
          `${name} had no result from ${transport.origin} within ${resultTimeoutMs / 1000} s; check that a worker is running behind it, or raise resultTimeoutMs`,
        );
      }
      // No pause if the server itself held the call back.
      if (performance.now() - askedAt < wait) await pause(wait);
    }
  }

  /** Detects what the server decompresses, with a call that does nothing. */
  async #understoodEncoding(): Promise<BodyEncoding> {
    if (await this.#understands("session_heartbeat", this.#heartbeatJson(), "gzip", 200)) {
      return "gzip";
    }
    if (!this.#flavor.readsZstdPasses) return "identity";
    // An unknown model is refused after the body was read, an unreadable body before.
    const nothing = {
      model_id: "waggle-encoding-probe",
      forward_backward_input: { data: [], loss_fn: "cross_entropy" },
    };
    const isRead = await this.#understands("forward_backward", nothing, "zstd", 404);
    return isRead ? "zstd" : "identity";
  }

  async #understands(
    name: string,
    json: unknown,
    encoding: BodyEncoding,
    expected: number,
  ): Promise<boolean> {
    const { status } = await this.#options.transport.send({
      method: "POST",
      path: `/api/v1/${name}`,
      json,
      isRepeatable: true,
      encoding,
      smallestEncoded: 0,
      accepts: [400, 404, 415, 422, 500],
    });
    return status === expected;
  }
}

function isRefusal(error: unknown): boolean {
  return typeof error === "string" && error !== "";
}

function requestIdOf(name: string, json: unknown): string {
  return textMember(json, "request_id", name);
}

/** null, which JSON writes for non-finite numbers, becomes NaN. */
function logProbsOf(name: string, output: unknown, datum: Datum): number[] {
  const values = listMember(memberOf(output, "logprobs"), "data", name);
  const [length] = datum.loss_fn_inputs.target_tokens.shape;
  if (values.length !== length) {
    throw new WaggleError(
      "SHAPE_MISMATCH",
      `the response to ${name} has ${values.length} log-probs for ${length} targets; is this a server of the Tinker API?`,
    );
  }
  return values.map((value) => (typeof value === "number" ? value : Number.NaN));
}
