/**
 * What crosses between a page and the worker that runs its policy: one request and one response for
 * a whole generation, tokens in between in bunches. The last of them come with the response. The page
 * names sessions, and sends what was appended to one with its next request.
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

export type BrowserDevice = "webgpu" | "wasm";

/** Where the worker gets the model's files from: bytes by path, or the browser's storage. */
export type ModelFiles = ReadonlyMap<string, Uint8Array> | Pick<LoadedModel, "files">;

export type OpenRequest = {
  readonly kind: "open";
  readonly model: ModelFiles;
  readonly baseModel: string;
  /** Recorded with every span: the page knows the device. */
  readonly description: string;
  readonly threads: number;
  /** `null`: as the weights are stored, or f32. */
  readonly dtype: WeightFormat | null;
  readonly contextLength: number | null;
  readonly maxRunTokens: number | null;
  readonly adapterStrategy: AdapterStrategy | null;
  readonly adapterRank: number;
  readonly cacheBytes: number | null;
  /** Checks of this device by earlier workers, by what they are of. */
  readonly knownChecks: Readonly<Record<string, SelfCheckResult>>;
  /** A lock that the worker holds while it lives; `null` where the page has no locks. */
  readonly lifeLock: string | null;
};

/** What the check of a device said, and what of. */
export type DeviceCheck = { readonly key: string; readonly result: SelfCheckResult };

/** Requests of one session; `given` are tokens that the page appended since the last. */
export type SessionRequest = { readonly sessionId: number; readonly given: readonly number[] };

export type GenerateRequest = SessionRequest & {
  readonly kind: "generate";
  readonly options: Pick<GenerateOptions, "sampling" | "stopTokenIds" | "maxTokens" | "grammar">;
  /** Whether somebody looks at each token. */
  readonly wantsTokens: boolean;
};

export type BranchRequest = SessionRequest & {
  readonly kind: "branch";
  /** Names of the new sessions. */
  readonly branchIds: readonly number[];
  /** `null`: all tokens there are when it arrives. */
  readonly at: number | null;
  /** Reads the tokens first, so that the branches share them. */
  readonly readsFirst: boolean;
};

type ScoreSessionRequest = SessionRequest & {
  readonly kind: "score-session";
  readonly options: Omit<Parameters<Session["score"]>[0], "signal">;
};

export type WorkerRequest =
  | OpenRequest
  | {
      readonly kind: "set-adapter";
      readonly version: PolicyVersionId;
      readonly adapter: Adapter | null;
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
  /** Gives up another request. */
  | { readonly kind: "abort"; readonly requestId: number }
  | { readonly kind: "dispose" };

/** What each request is answered with; the others with nothing. */
type WorkerAnswers = {
  readonly open: {
    readonly check: DeviceCheck;
    /** `null` where the check refused the device: the worker is of no use. */
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
  /** It was given up, as the page asked. */
  | { readonly kind: "aborted"; readonly id: number }
  | { readonly kind: "error"; readonly id: number; readonly error: WireError }
  | { readonly kind: "tokens"; readonly id: number; readonly tokenIds: readonly number[] };

/** The part of a worker's global scope that is used, and of `Worker` seen from the page. */
export interface MessageEndpoint {
  postMessage(message: unknown): void;
  addEventListener(type: "message", listener: (event: MessageEvent) => void): void;
}
