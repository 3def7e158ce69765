/** A file of a remote model before it is fetched, and how servers are asked about it. */
import { selectModelFiles } from "@waggle/model";
import { sha256 } from "@waggle/protocol";
import { waitToRetry } from "./backoff.ts";
import type { RetryOptions } from "./backoff.ts";
import type { RemoteFile } from "./file-download.ts";
import { requestBytes } from "./remote-bytes.ts";
import type { Fetch, RemoteAnswer } from "./remote-bytes.ts";

export type ListedFile = RemoteFile & {
  readonly path: string;
  /** What a server said of its size without promising it. */
  readonly sizeHint: number | null;
};

export type ListingOptions = {
  readonly fetch: Fetch;
  readonly stallMs?: number | undefined;
  /** Reads a small file that was listed: the index of shards. */
  readonly read: (file: ListedFile) => Promise<Uint8Array>;
  /** Hex sha256 by path, as the caller expects them. */
  readonly hashes?: { readonly [path: string]: string } | undefined;
} & RetryOptions;

/** Most milliseconds of silence where nothing else is asked for. */
export const STALL_MS: number = 20_000;

/** Where a file of this hex sha256 lies in storage. */
export function objectKey(hash: string): string {
  return `o-${hash}`;
}

/** Those of a repository or folder that make its model. */
export async function selectFiles(
  files: ReadonlyMap<string, ListedFile>,
  options: ListingOptions,
): Promise<ListedFile[]> {
  const paths = await selectModelFiles([...files.keys()], indexReader(files, options));
  return paths.map((path) => files.get(path) as ListedFile);
}

function indexReader(
  files: ReadonlyMap<string, ListedFile>,
  options: ListingOptions,
): (path: string) => Promise<Uint8Array> {
  return (path) => options.read(files.get(path) as ListedFile);
}

/** Files with a known hash are stored under it, so that one from two places is stored once. */
export async function listedFile(file: Omit<ListedFile, "key">): Promise<ListedFile> {
  const key = file.sha256 === null ? `u-${await sha256(file.url)}` : objectKey(file.sha256);
  return { ...file, key };
}

/** Tries again what may succeed later. */
export async function askServer(url: string, options: ListingOptions): Promise<RemoteAnswer> {
  const { fetch, signal, stallMs = STALL_MS } = options;
  for (let failures = 1; ; failures++) {
    const answer = await requestBytes({ url, fetch, stallMs, signal });
    if (answer.kind !== "refused" || !answer.error.retryable) return answer;
    await waitToRetry(answer, failures, options);
  }
}
