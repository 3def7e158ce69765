/** Fetches a PEFT adapter from a folder on the web, for `loadAdapter`. Stores nothing. */
import { readPeftAdapter } from "@waggle/model";
import type { Adapter, DecoderConfig } from "@waggle/model";
import { boundary, fileListDigest, sha256, WaggleError } from "@waggle/protocol";
import type { Cancellable } from "./session/session.ts";

const FILES = ["adapter_config.json", "adapter_model.safetensors"] as const;

/** Options of `fetchAdapter`. */
export type FetchAdapterOptions = Cancellable & {
  /** URL of the folder with `adapter_config.json` and `adapter_model.safetensors`. */
  readonly url: string;
  /**
   * Hex sha256 of the list of both files, as from `fileListDigest`. The config is included because
   * it has the adapter's alpha.
   */
  readonly sha256: string;
  /** The decoder that the adapter is for. */
  readonly config: DecoderConfig;
  /** Default: the global one. */
  readonly fetch?: (
    url: string,
    init: { readonly signal: AbortSignal | null },
  ) => Promise<Response>;
};

/**
 * @throws WaggleError `NETWORK` (retryable), `NOT_FOUND`, `DIGEST_MISMATCH` if the hash of the bytes
 *   differs, `ADAPTER_INCOMPATIBLE` if they are not a plain LoRA for this decoder. Rejects with the
 *   signal's reason.
 */
export async function fetchAdapter(options: FetchAdapterOptions): Promise<Adapter> {
  const files = await Promise.all(FILES.map((path) => fetchFile(path, options)));
  const [configFile, weights] = files as [AdapterFile, AdapterFile];
  const actual = await fileListDigest(files);
  if (actual !== options.sha256) {
    throw new WaggleError(
      "DIGEST_MISMATCH",
      `the adapter at ${options.url} has hash ${actual.slice(0, 12)}, not ${options.sha256.slice(0, 12)}; check the hash or the source`,
    );
  }
  return readPeftAdapter(parse(configFile.bytes), weights.bytes, options.config);
}

type AdapterFile = { readonly path: string; readonly sha256: string; readonly bytes: Uint8Array };

async function fetchFile(
  path: string,
  { url, signal, fetch = globalThis.fetch }: FetchAdapterOptions,
): Promise<AdapterFile> {
  signal?.throwIfAborted();
  const address = `${url.replace(/\/+$/, "")}/${path}`;
  try {
    const bytes = await boundary("network", async () => {
      const response = await fetch(address, { signal: signal ?? null });
      if (response.ok) return new Uint8Array(await response.arrayBuffer());
      throw new WaggleError(
        response.status === 404 ? "NOT_FOUND" : "NETWORK",
        `${address} answered with status ${response.status}; check the URL`,
        { retryable: response.status >= 500 || response.status === 429 },
      );
    });
    return { path, sha256: await sha256(bytes), bytes };
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return null; // then refused as a config without members
  }
}
