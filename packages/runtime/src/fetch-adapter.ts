/** An adapter of the PEFT project from a folder on the web, for `loadAdapter`. Nothing is stored. */
import { readPeftAdapter } from "@waggle/model";
import type { Adapter, DecoderConfig } from "@waggle/model";
import { boundary, fileListDigest, sha256, WaggleError } from "@waggle/protocol";
import type { Cancellable } from "./session/session.ts";

const FILES = ["adapter_config.json", "adapter_model.safetensors"] as const;

export type FetchAdapterOptions = Cancellable & {
  /** Of the folder, which holds `adapter_config.json` and `adapter_model.safetensors`. */
  readonly url: string;
  /**
   * Hex sha256 of the list of both files, as `fileListDigest` gives: the strength of an adapter is in
   * its config, so that is hashed too.
   */
  readonly sha256: string;
  /** The decoder it is for. */
  readonly config: DecoderConfig;
  /** Default: the global one. */
  readonly fetch?: (
    url: string,
    init: { readonly signal: AbortSignal | null },
  ) => Promise<Response>;
};

/**
 * @throws WaggleError `NETWORK` (retryable), `NOT_FOUND`, `DIGEST_MISMATCH` where the bytes are not
 *   those of the hash, `ADAPTER_INCOMPATIBLE` where they are no plain LoRA of this decoder. Rejects
 *   with the signal's reason.
 */
export async function fetchAdapter(options: FetchAdapterOptions): Promise<Adapter> {
  const files = await Promise.all(FILES.map((path) => fetchFile(path, options)));
  const [configFile, weights] = files as [AdapterFile, AdapterFile];
  const actual = await fileListDigest(files);
  if (actual !== options.sha256) {
    throw new WaggleError(
      "DIGEST_MISMATCH",
      `the adapter at ${options.url} must have hash ${options.sha256.slice(0, 12)}, got ${actual.slice(0, 12)}; check the hash or the source`,
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
        `${address} must be served, got status ${response.status}; check the URL`,
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
    return null; // refused as a config without members
  }
}
