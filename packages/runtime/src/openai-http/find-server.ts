/** What an inference server says of itself, asked once before a run. */
import { isObject, WaggleError } from "@waggle/protocol";
import type { CompletionsApi } from "./completions-wire.ts";
import { errorOf, networkError } from "./http-errors.ts";
import type { PostOptions } from "./post-json.ts";

export type FoundServer = {
  readonly api: CompletionsApi;
  /** Name of its base model. */
  readonly model: string;
  /** Most tokens of one context; `null` where it does not say. */
  readonly contextLength: number | null;
};

const PATIENCE_MS = 10_000;

/**
 * Reads `GET /v1/models`, which vLLM and SGLang have.
 *
 * @throws WaggleError `NETWORK` where nobody answers, `CAPABILITY_MISSING` for another kind of server.
 */
export async function findServer(
  origin: string,
  { apiKey, fetch = globalThis.fetch }: Pick<PostOptions, "apiKey" | "fetch"> = {},
): Promise<FoundServer> {
  const url = `${origin.replace(/\/+$/, "")}/v1/models`;
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const headers = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
  let response: Response;
  try {
    response = await fetch(url, { headers, signal });
  } catch (cause) {
    const { message } = networkError(cause, new AbortController().signal);
    throw new WaggleError("NETWORK", `no server answers at ${url}: ${message}`, {
      retryable: true,
      cause,
    });
  }
  if (!response.ok) throw await errorOf(response);
  const answer: unknown = await response.json().catch(() => null);
  const data = isObject(answer) ? answer["data"] : undefined;
  // Adapters name the model that they are over.
  const base = Array.isArray(data)
    ? data.filter(isObject).find(({ parent }) => typeof parent !== "string")
    : undefined;
  if (base === undefined || typeof base["id"] !== "string") {
    throw new WaggleError(
      "CAPABILITY_MISSING",
      `${url} lists no model; the server must be vLLM, SGLang, or one with the same routes`,
    );
  }
  const { id, max_model_len: length } = base;
  return {
    api: base["owned_by"] === "sglang" ? "sglang" : "openai",
    model: id as string,
    contextLength: typeof length === "number" ? length : null,
  };
}
