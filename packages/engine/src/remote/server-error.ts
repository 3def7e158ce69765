/**
 * Maps a Tinker server's errors to error codes. SkyRL sends `{ detail }`, open-rl `{ error }` or
 * `{ type: "RequestFailedResponse", error_message }`, the SDK's types have `{ error, category }`.
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
 * Messages by which servers say that they do not have the model, or nothing since a restart: SkyRL
 * `api.py` get_model and `engine.py` _filter_valid_requests, open-rl `trainer.py` and PEFT's
 * set_adapter.
 */
const LOST =
  /model not found|session not found|future not found|model \S+ not (loaded|found)|must be loaded first|adapter .* not found/i;

/** The text of an error response, shortened for a message. */
export function refusalText(json: unknown): string {
  for (const name of ["detail", "error_message", "error"]) {
    const value = memberOf(json, name);
    if (typeof value === "string") return value.slice(0, 300);
    if (value !== undefined && value !== null) return JSON.stringify(value).slice(0, 300);
  }
  return "no reason given";
}

/** @param call the request, such as `POST /api/v1/optim_step`. */
export function refusal(call: string, status: number, json: unknown): WaggleError {
  const text = refusalText(json);
  if (LOST.test(text)) return lostModel(call, text);
  const isServers = status >= 500;
  return new WaggleError(
    isServers ? "NETWORK" : (CODES[status] ?? "INVALID_ARGUMENT"),
    `the server refused ${call} with ${status}: ${text}; see the server's log`,
    { retryable: isServers || status === 429 },
  );
}

/** SkyRL's FSDP and Megatron backends: `skyrl_train_backend.py`, create_model. */
const ONE_MODEL = /only one model supported/i;

/** The error of a request that the server accepted and then failed to process. */
export function failedRequest(call: string, text: string): WaggleError {
  if (ONE_MODEL.test(text)) {
    return new WaggleError(
      "CAPABILITY_MISSING",
      `the server cannot hold another model: it answered "${text}" to ${call}; unload the other model first, or use an engine on this machine (--device cpu)`,
    );
  }
  if (LOST.test(text)) return lostModel(call, text);
  return new WaggleError(
    "INVALID_ARGUMENT",
    `${call} failed on the server: ${text}; see the server's log`,
  );
}

function lostModel(call: string, text: string): WaggleError {
  return new WaggleError(
    "DEVICE_LOST",
    `the server has lost this engine's model: it answered "${text}" to ${call}; load() the last checkpoint`,
    { retryable: true },
  );
}
