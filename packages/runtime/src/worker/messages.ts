/**
 * Messages between a page and its policy's worker: one request and one response per generation,
 * with batches of tokens in between; the last tokens come with the response. The page names
 * sessions, and sends appended tokens with a session's next request.
 */
import type { Adapter, WeightFormat } from "@waggle/model";
import type {
  GenerateOptions,
  PolicyVersionId,
  Sample,
  ScoreRequest,
  TokenScores,
  WaggleErrorCode,
} from "@waggle/protocol";
import type { SelfCheckResult } from "../agreement/self-check.ts";
import type { AdapterStrategy } from "../backend/cpu/cpu-backend.ts";
import type { Session, SessionSnapshot } from "../session/session.ts";
import type { LoadedModel } from "../store/loaded-model.ts";

/** The two devices of a page's policy. */
export type BrowserDevice = "webgpu" | "wasm";

/** The source of the model's files: bytes by path, or the browser's storage. */
export type ModelFiles = ReadonlyMap<string, Uint8Array> | Pick<LoadedModel, "files">;

/** An adapter as it is published: the bytes of `adapter_model.safetensors`, with what its reference says. */
export type PublishedAdapter = {
  readonly rank: number;
  readonly alpha: number;
  readonly bytes: Uint8Array;
};

/** What the device's code and its check depend on. */
type DeviceRequest = {
  /** Recorded with every span; the page knows the device. */
  readonly description: string;
  readonly threads: number;
  /** `null`: the stored format, f32 for plain numbers. */
  readonly dtype: WeightFormat | null;
  readonly contextLength: number | null;
  readonly maxRunTokens: number | null;
  readonly adapterStrategy: AdapterStrategy | null;
  readonly startsAdaptable: boolean;
  readonly adapterRank: number;
  /** Results of this device's checks in earlier workers, by key. */
  readonly knownChecks: Readonly<Record<string, SelfCheckResult>>;
};

/** Loads code and checks the device while the page still downloads the weights. `open` follows. */
export type PrepareRequest = DeviceRequest & {
  readonly kind: "prepare";
  /** Bytes of the model's `config.json`. */
  readonly config: Uint8Array;
};

export type OpenRequest = DeviceRequest & {
  readonly kind: "open";
  readonly model: ModelFiles;
  readonly baseModel: string;
  readonly cacheBytes: number | null;
  /** `null`: those of the model's chat format, which grammars then read. */
  readonly stopTokenIds: readonly number[] | null;
  /** A lock that the worker holds while it lives; `null` if the page has no locks. */
  readonly lifeLock: string | null;
};

/** The result of a device check, and a key for what was checked. */
export type DeviceCheck = { readonly key: string; readonly result: SelfCheckResult };

/** Requests of one session; `given` are tokens that the page appended since the last request. */
export type SessionRequest = { readonly sessionId: number; readonly given: readonly number[] };

export type GenerateRequest = SessionRequest & {
  readonly kind: "generate";
  readonly options: Pick<GenerateOptions, "sampling" | "stopTokenIds" | "maxTokens" | "grammar">;
  /** Whether the page has a listener for each token. */
  readonly wantsTokens: boolean;
};

export type BranchRequest = SessionRequest & {
  readonly kind: "branch";
  /** Names of the new sessions. */
  readonly branchIds: readonly number[];
  /** `null`: all tokens at the time it arrives. */
  readonly at: number | null;
  /** Reads the tokens first, so that the branches share them. */
  readonly readsFirst: boolean;
};

type ScoreSessionRequest = SessionRequest & {
  readonly kind: "score-session";
  readonly options: Omit<Parameters<Session["score"]>[0], "signal">;
};

export type WorkerRequest =
  | PrepareRequest
  | OpenRequest
  | {
      readonly kind: "set-adapter";
      readonly version: PolicyVersionId;
      /** The worker reads a published one. */
      readonly adapter: Adapter | PublishedAdapter | null;
    }
  | { readonly kind: "load-adapter"; readonly adapterId: string; readonly adapter: Adapter }
  | { readonly kind: "unload-adapter"; readonly adapterId: string }
  | { readonly kind: "create-session"; readonly sessionId: number }
  | {
      readonly kind: "restore-session";
      readonly sessionId: number;
      readonly snapshot: SessionSnapshot;
    }
  | GenerateRequest
  | BranchRequest
  | ScoreSessionRequest
  | {
      readonly kind: "activate";
      readonly sessionId: number;
      readonly adapterId: string | null;
      readonly scale: number;
    }
  | { readonly kind: "adopt"; readonly sessionId: number }
  | { readonly kind: "dispose-session"; readonly sessionId: number }
  | { readonly kind: "score-many"; readonly requests: readonly ScoreRequest[] }
  /** Aborts another request. */
  | { readonly kind: "abort"; readonly requestId: number }
  | { readonly kind: "dispose" };

/** Results by kind of request; other requests have none. */
type WorkerAnswers = {
  readonly open: {
    readonly check: DeviceCheck;
    /** `null` if the check refused the device, so that the worker cannot be used. */
    readonly limits: { readonly contextLength: number; readonly vocabularySize: number } | null;
  };
  readonly "create-session": { readonly policyVersion: PolicyVersionId };
  readonly "restore-session": { readonly policyVersion: PolicyVersionId };
  readonly generate: { readonly sample: Sample; readonly policyVersion: PolicyVersionId };
  readonly branch: {
    readonly tokenIds: readonly number[];
    readonly policyVersion: PolicyVersionId;
  };
  readonly "score-session": TokenScores;
  readonly "score-many": readonly TokenScores[];
};

export type AnswerTo<R extends WorkerRequest> = R["kind"] extends keyof WorkerAnswers
  ? WorkerAnswers[R["kind"]]
  : undefined;

export type RequestEnvelope = { readonly id: number; readonly request: WorkerRequest };

type WireError = {
  readonly code: WaggleErrorCode;
  readonly message: string;
  readonly retryable: boolean;
};

export type WorkerMessage =
  | { readonly kind: "answer"; readonly id: number; readonly value: unknown }
  /** It was aborted at the page's request. */
  | { readonly kind: "aborted"; readonly id: number }
  | { readonly kind: "error"; readonly id: number; readonly error: WireError }
  | { readonly kind: "tokens"; readonly id: number; readonly tokenIds: readonly number[] };

/** Members used of a worker's global scope, and of `Worker` in the page. */
export interface MessageEndpoint {
  postMessage(message: unknown): void;
  addEventListener(type: "message", listener: (event: MessageEvent) => void): void;
}
