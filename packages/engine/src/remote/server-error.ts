/**
 * What a refusal of a Tinker server means here. SkyRL says `{ detail }`, open-rl `{ error }` or
 * `{ type: "RequestFailedResponse", error_message }`, the SDK's types `{ error, category }`.
 */
import { WaggleError } from "@waggle/protocol";
import type { WaggleErrorCode } from "@waggle/protocol";
import { memberOf } from "./json-members.ts";

const CODES: { readonly [status: number]: WaggleErrorCode } = {
  401: "UNAUTHENTICATED",
  403: "FORBIDDEN",
  404: "NOT_FOUND",
  409: "CONFLICT",
  413: "PAYLOAD_TOO_LARGE",
  415: "UNSUPPORTED_MEDIA_TYPE",
  429: "RATE_LIMITED",
};

/**
 * How the servers say that they do not hold the model, or hold nothing since they were started
 * again: SkyRL `api.py` get_model and `engine.py` _filter_valid_requests, open-rl `trainer.py` and
 * PEFT's set_adapter.
 */
const LOST =
  /model not found|session not found|future not found|model \S+ not (loaded|found)|must be loaded first|adapter .* not found/i;

/** The words of a refusal, short enough for a message. */
export function refusalText(json: unknown): string {
  for (const name of ["detail", "error_message", "error"]) {
    const value = memberOf(json, name);
    if (typeof value === "string") return value.slice(0, 300);
    if (value !== undefined && value !== null) return JSON.stringify(value).slice(0, 300);
  }
  return "no reason";
}

/** @param call what was asked, `POST /api/v1/optim_step`. */
export function refusal(call: string, status: number, json: unknown): WaggleError {
  const text = refusalText(json);
  if (LOST.test(text)) return lostModel(call, text);
  const isServers = status >= 500;
  return new WaggleError(
    isServers ? "NETWORK" : (CODES[status] ?? "INVALID_ARGUMENT"),
    `${call} must be accepted by the server, got ${status}: ${text}; see the server's log`,
    { retryable: isServers || status === 429 },
  );
}

/** SkyRL's FSDP and Megatron backends: `skyrl_train_backend.py`, create_model. */
const ONE_MODEL = /only one model supported/i;

/** A request that the server took and then failed at. */
export function failedRequest(call: string, text: string): WaggleError {
  if (ONE_MODEL.test(text)) {
    return new WaggleError(
      "CAPABILITY_MISSING",
      `the server must hold another model beside those that it has, got "${text}" to ${call}; unload that one first, or use an engine of this machine (--device cpu)`,
    );
  }
  if (LOST.test(text)) return lostModel(call, text);
  return new WaggleError(
    "INVALID_ARGUMENT",
    `${call} must succeed on the server, got: ${text}; see the server's log`,
  );
}

function lostModel(call: string, text: string): WaggleError {
  return new WaggleError(
    "DEVICE_LOST",
    `the server must hold the model of this engine, got "${text}" to ${call}; it was started again or took the model back: load() the last checkpoint`,
    { retryable: true },
  );
}
