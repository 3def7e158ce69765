/** The worker's side: serves a policy over messages. The backend is passed in. */
import { readAdapter } from "@waggle/model";
import type { Adapter, DecoderConfig } from "@waggle/model";
import { WaggleError } from "@waggle/protocol";
import type { ScheduledPolicy } from "../session/scheduled-policy.ts";
import type { Session } from "../session/session.ts";
import type { CheckedDevice, WorkerDevice } from "./checked-device.ts";
import { openPolicy, prepareDevice } from "./open-policy.ts";
import { createTokenBunches } from "./token-bunches.ts";
import type {
  AnswerTo,
  BranchRequest,
  GenerateRequest,
  MessageEndpoint,
  OpenRequest,
  PublishedAdapter,
  RequestEnvelope,
  SessionRequest,
  WorkerMessage,
  WorkerRequest,
} from "./messages.ts";

/** Marks an endpoint that is served, also for a second copy of this module. */
const SERVED = Symbol.for("waggle.served-policy");

type PostTokens = (tokenIds: readonly number[]) => void;

/**
 * Answers requests from `endpoint` until it is closed. A second call for the same endpoint does nothing: WebKit evaluates the
 * entry of a worker again when a chunk imports it, and every request would be served twice.
 *
 * @returns a function that ends the policy when there are no more requests.
 */
export function servePolicy(
  endpoint: MessageEndpoint,
  device: WorkerDevice,
): { dispose(): Promise<void> } {
  if (SERVED in endpoint) return { dispose: () => Promise.resolve() };
  Object.assign(endpoint, { [SERVED]: true });
  const server = new PolicyServer(device);
  const post = (message: WorkerMessage): void => endpoint.postMessage(message);
  endpoint.addEventListener("message", (event) => {
    const { id, request } = event.data as RequestEnvelope;
    const postTokens = (tokenIds: readonly number[]): void =>
      post({ kind: "tokens", id, tokenIds });
    void server.answer(id, request, postTokens).then(post);
  });
  return { dispose: () => server.dispose() };
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
  readonly #device: WorkerDevice;
  readonly #sessions = new Map<number, Session>();
  /** By the id of the request that can be aborted. */
  readonly #aborts = new Map<number, AbortController>();
  /** `null` if it failed: opening then reports why. */
  #prepared: Promise<CheckedDevice | null> = Promise.resolve(null);
  #policy: ScheduledPolicy | null = null;
  #config: DecoderConfig | null = null;

  constructor(device: WorkerDevice) {
    this.#device = device;
  }

  /** Returns the final message for a request. Never rejects. */
  async answer(id: number, request: WorkerRequest, postTokens: PostTokens): Promise<WorkerMessage> {
    const abort = new AbortController();
    this.#aborts.set(id, abort);
    try {
      const value = await this.#dispatch(request, abort.signal, postTokens);
      return { kind: "answer", id, value };
    } catch (error) {
      const isGivenUp = abort.signal.aborted && error === abort.signal.reason;
      return isGivenUp ? { kind: "aborted", id } : { kind: "error", id, error: toWireError(error) };
    } finally {
      this.#aborts.delete(id);
    }
  }

  /** Aborts all requests and frees everything. */
  async dispose(): Promise<void> {
    for (const abort of this.#aborts.values()) abort.abort();
    await (await this.#prepared)?.release();
    await this.#policy?.dispose();
  }

  async #dispatch(
    request: WorkerRequest,
    signal: AbortSignal,
    postTokens: PostTokens,
  ): Promise<unknown> {
    switch (request.kind) {
      case "prepare": {
        this.#prepared = prepareDevice(this.#device, request).catch(() => null);
        await this.#prepared;
        return undefined;
      }
      case "open":
        return this.#open(request);
      case "set-adapter":
        return this.#opened().setAdapter(request.version, this.#read(request.adapter));
      case "load-adapter":
        return this.#opened().loadAdapter(request.adapterId, request.adapter);
      case "unload-adapter":
        return this.#opened().unloadAdapter(request.adapterId);
      case "create-session":
        return this.#hold(request.sessionId, await this.#opened().createContext());
      case "restore-session": {
        const session = await this.#opened().restore(request.snapshot, { signal });
        this.#sessions.get(request.sessionId)?.dispose();
        return this.#hold(request.sessionId, session);
      }
      case "activate":
        return this.#held(request).activate(request.adapterId, { scale: request.scale });
      case "adopt":
        return this.#held(request).adoptCurrentVersion();
      case "dispose-session": {
        this.#sessions.get(request.sessionId)?.dispose();
        this.#sessions.delete(request.sessionId);
        return undefined;
      }
      case "generate":
        return this.#generate(request, signal, postTokens);
      case "branch":
        return this.#branch(request, signal);
      case "score-session":
        return this.#given(request).score({ ...request.options, signal });
      case "score-many":
        return this.#opened().scoreMany(request.requests, { signal });
      case "abort":
        return this.#aborts.get(request.requestId)?.abort();
      case "dispose":
        return this.#policy?.dispose();
    }
  }

  async #open(request: OpenRequest): Promise<AnswerTo<OpenRequest>> {
    if (request.lifeLock !== null) holdForever(request.lifeLock);
    const prepared = await this.#prepared;
    try {
      const earlier = prepared && { [prepared.check.key]: prepared.check.result };
      const knownChecks = { ...request.knownChecks, ...earlier };
      const opened = await openPolicy(this.#device, { ...request, knownChecks });
      const { policy, check } = opened;
      this.#policy = policy;
      this.#config = opened.config;
      if (policy === null) return { check, limits: null };
      const { contextLength, vocabularySize } = policy;
      return { check, limits: { contextLength, vocabularySize } };
    } finally {
      await prepared?.release();
    }
  }

  async #generate(
    request: GenerateRequest,
    signal: AbortSignal,
    post: PostTokens,
  ): Promise<AnswerTo<GenerateRequest>> {
    const session = this.#given(request);
    const bunches = createTokenBunches(post, request.wantsTokens);
    try {
      const sample = await session.generate({ ...request.options, signal, onToken: bunches.add });
      return { sample, policyVersion: session.policyVersion };
    } catch (error) {
      bunches.flush();
      throw error;
    }
  }

  async #branch(request: BranchRequest, signal: AbortSignal): Promise<AnswerTo<BranchRequest>> {
    const session = this.#given(request);
    const { branchIds, readsFirst } = request;
    const at = request.at ?? session.tokenIds.length;
    const branches = readsFirst
      ? await session.group(branchIds.length, { signal })
      : await Promise.all(branchIds.map(() => session.fork({ at, signal })));
    for (const [index, branch] of branches.entries()) {
      this.#sessions.set(branchIds[index] as number, branch);
    }
    const [first] = branches;
    return { tokenIds: first?.tokenIds ?? [], policyVersion: session.policyVersion };
  }

  #opened(): ScheduledPolicy {
    if (this.#policy !== null) return this.#policy;
    throw new WaggleError("INTERNAL", "the worker was not opened first");
  }

  #read(adapter: Adapter | PublishedAdapter | null): Adapter | null {
    if (adapter === null || !("bytes" in adapter)) return adapter;
    return readAdapter(adapter.bytes, adapter, this.#config as DecoderConfig);
  }

  #hold(sessionId: number, session: Session): { readonly policyVersion: number } {
    this.#sessions.set(sessionId, session);
    return { policyVersion: session.policyVersion };
  }

  #held({ sessionId }: { readonly sessionId: number }): Session {
    const session = this.#sessions.get(sessionId);
    if (session !== undefined) return session;
    throw new WaggleError("DISPOSED", `no session ${sessionId}; create a new one`);
  }

  /** The session, after adding the tokens that the page appended. */
  #given(request: SessionRequest): Session {
    const session = this.#held(request);
    if (request.given.length > 0) session.append(request.given);
    return session;
  }
}

/** Holds a lock that becomes free when this worker ends for any reason. */
function holdForever(name: string): void {
  void navigator.locks.request(name, () => new Promise<never>(() => undefined));
}
