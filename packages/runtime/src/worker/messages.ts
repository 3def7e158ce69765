/**
 * What crosses between a page and the worker that runs its policy: one request and one response for
 * a whole generation, token deltas in between where they are wanted.
 */
import type { Adapter } from "@waggle/model";
import type {
  PolicyVersionId,
  Sample,
  GenerateOptions,
  ScoreRequest,
  TokenScores,
  WaggleErrorCode,
} from "@waggle/protocol";
import type { AdapterStrategy } from "../ort-session.ts";

export type BrowserDevice = "webgpu" | "wasm";

export type OpenRequest = {
  readonly kind: "open";
  /** `config.json` and `model.safetensors`, or its index and shards. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly baseModel: string;
  readonly threads: number;
  readonly contextLength: number | null;
  readonly maxRunTokens: number | null;
  readonly adapterStrategy: AdapterStrategy | null;
  readonly adapterRank: number;
};

export type WorkerRequest =
  | OpenRequest
  | {
      readonly kind: "set-adapter";
      readonly version: PolicyVersionId;
      readonly adapter: Adapter | null;
    }
  | { readonly kind: "create-context" }
  | {
      readonly kind: "append";
      readonly contextId: number;
      readonly tokenIds: readonly number[];
    }
  | { readonly kind: "adopt"; readonly contextId: number }
  | { readonly kind: "dispose-context"; readonly contextId: number }
  | {
      readonly kind: "generate";
      readonly contextId: number;
      readonly options: Pick<GenerateOptions, "sampling" | "stopTokenIds" | "maxTokens">;
      readonly wantsTokens: boolean;
    }
  | { readonly kind: "abort"; readonly contextId: number }
  | { readonly kind: "score-many"; readonly requests: readonly ScoreRequest[] }
  | { readonly kind: "dispose" };

/** What each request is answered with; the others with nothing. */
type WorkerAnswers = {
  readonly open: { readonly contextLength: number; readonly vocabularySize: number };
  readonly "create-context": {
    readonly contextId: number;
    readonly policyVersion: PolicyVersionId;
  };
  readonly generate: { readonly sample: Sample; readonly policyVersion: PolicyVersionId };
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
  | { readonly kind: "error"; readonly id: number; readonly error: WireError }
  | { readonly kind: "token"; readonly id: number; readonly tokenId: number };

/** The part of a worker's global scope that is used, and of `Worker` seen from the page. */
export interface MessageEndpoint {
  postMessage(message: unknown): void;
  addEventListener(type: "message", listener: (event: MessageEvent) => void): void;
}
