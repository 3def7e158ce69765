/**
 * Adapters by content hash: from memory, else the state folder, else the edge. Every adapter that is
 * read is checked against its hash.
 */
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Adapter, type DecoderConfig, readAdapter, writeAdapter } from "@waggle/model";
import { type AdapterReference, sha256, WaggleError } from "@waggle/protocol";
import { writeDurably } from "../files/durable-file.ts";

/** Adapters by the hash of their file. */
export interface AdapterCache {
  /** Stores an adapter durably. */
  add(adapter: Adapter): Promise<AdapterReference>;
  get(reference: AdapterReference): Promise<Adapter>;
  /** The file's bytes as published. */
  bytes(reference: AdapterReference): Promise<Uint8Array>;
}

/** Adapters kept in memory; older ones are read again. */
const IN_MEMORY = 16;

/** Creates a cache over a state folder. */
export function createAdapterCache(options: {
  readonly folder: string;
  readonly config: DecoderConfig;
  /** Downloads adapters that the folder lacks. */
  readonly download: (sha256: string) => Promise<Uint8Array>;
}): AdapterCache {
  const { folder, config, download } = options;
  const loaded = new Map<string, Adapter>();

  function remember(digest: string, adapter: Adapter): Adapter {
    loaded.set(digest, adapter);
    const oldest = loaded.keys().next().value;
    if (loaded.size > IN_MEMORY && oldest !== undefined) loaded.delete(oldest);
    return adapter;
  }

  async function bytes(reference: AdapterReference): Promise<Uint8Array> {
    const name = adapterFileName(reference.sha256);
    const stored = await readFile(join(folder, name)).catch((error: unknown) => {
      if ((error as { code?: unknown }).code === "ENOENT") return null;
      throw error;
    });
    if (stored !== null && (await sha256(stored)) === reference.sha256) return stored;
    const fetched = await download(reference.sha256);
    if ((await sha256(fetched)) !== reference.sha256) {
      throw new WaggleError(
        "DIGEST_MISMATCH",
        `the edge returned other bytes for adapter ${reference.sha256}: the hash does not match; publish the adapter again`,
      );
    }
    await store(name, fetched);
    return fetched;
  }

  async function store(name: string, content: Uint8Array): Promise<void> {
    await mkdir(folder, { recursive: true });
    await writeDurably(folder, name, content);
  }

  return {
    bytes,
    async add(adapter) {
      const content = writeAdapter(adapter, config);
      const digest = await sha256(content);
      await store(adapterFileName(digest), content);
      remember(digest, adapter);
      const { rank, alpha } = adapter;
      return { sha256: digest, sizeBytes: content.length, rank, alpha };
    },
    async get(reference) {
      const known = loaded.get(reference.sha256);
      if (known !== undefined) return known;
      return remember(reference.sha256, readAdapter(await bytes(reference), reference, config));
    },
  };
}

/** File name in the cache's folder of the adapter with this hash. */
export function adapterFileName(digest: string): string {
  return `adapter-${digest}.safetensors`;
}
