/**
 * Which files make the model of a remote source, where each of them is, and what is known of it
 * before it is fetched. Fetches no file.
 */
import { WaggleError } from "@waggle/protocol";
import { askServer, listedFile, objectKey, selectFiles } from "./listed-file.ts";
import type { ListedFile, ListingOptions } from "./listed-file.ts";
import { HUGGING_FACE } from "./model-source.ts";
import type { ModelSource } from "./model-source.ts";

/**
 * @throws WaggleError `NOT_FOUND` for a repository that is not there, `FORBIDDEN` for one that needs
 *   a token, `MODEL_CORRUPT` where parts are missing, `NETWORK` (retryable).
 */
export async function listRemoteModel(
  source: Exclude<ModelSource, { kind: "folder" }>,
  options: ListingOptions,
): Promise<ListedFile[]> {
  switch (source.kind) {
    case "objects":
      return source.model.files.map((file) => ({
        ...file,
        key: objectKey(file.sha256),
        url: objectUrl(source.baseUrl, file.sha256),
        isImmutable: true,
        sizeHint: file.sizeBytes,
      }));
    case "url":
      return (await import("./folder-listing.ts")).listFolder(source.baseUrl, options);
    case "hugging-face":
      return listRepository(source, options);
  }
}

export function objectUrl(baseUrl: string, hash: string): string {
  return `${baseUrl.replace(/\/+$/, "")}/v1/objects/${hash}`;
}

type HubFile = {
  readonly rfilename?: unknown;
  readonly size?: unknown;
  readonly lfs?: { readonly sha256?: unknown } | null;
};

/**
 * Asks the Hub for commit, sizes and hashes in one request. (The hash in the headers of a download
 * is lost to pages: it stands on the redirect, which `fetch` follows silently.)
 */
async function listRepository(
  source: Extract<ModelSource, { kind: "hugging-face" }>,
  options: ListingOptions,
): Promise<ListedFile[]> {
  const { repository, revision = "main", folder, endpoint = HUGGING_FACE } = source;
  const host = endpoint.replace(/\/+$/, "");
  const url = `${host}/api/models/${repository}/revision/${encodeURIComponent(revision)}?blobs=true`;
  const answer = await readJsonAnswer(url, options);
  const { sha: commit, siblings } = answer as { sha?: unknown; siblings?: unknown };
  if (typeof commit !== "string" || !/^[0-9a-f]{40}$/.test(commit) || !Array.isArray(siblings)) {
    throw new WaggleError(
      "MODEL_CORRUPT",
      `${host} must answer with a commit and its files, got something else; check the endpoint`,
    );
  }
  const prefix = folder === undefined ? "" : `${folder.replace(/\/+$/, "")}/`;
  const files = new Map<string, ListedFile>();
  for (const { rfilename, size, lfs } of siblings as HubFile[]) {
    if (typeof rfilename !== "string" || !rfilename.startsWith(prefix)) continue;
    const path = rfilename.slice(prefix.length);
    const name = rfilename.split("/").map(encodeURIComponent).join("/");
    files.set(
      path,
      await listedFile({
        path,
        url: `${host}/${repository}/resolve/${commit}/${name}`,
        sizeBytes: typeof size === "number" ? size : null,
        sizeHint: null,
        sha256: options.hashes?.[path] ?? hashOrNull(lfs?.sha256),
        isImmutable: true,
      }),
    );
  }
  return selectFiles(files, options);
}

async function readJsonAnswer(url: string, options: ListingOptions): Promise<object> {
  const answer = await askServer(url, options);
  if (answer.kind === "refused") throw answer.error;
  const pieces: Uint8Array[] = [];
  if (answer.kind === "body") for await (const piece of answer.pieces()) pieces.push(piece);
  try {
    return JSON.parse(await new Blob(pieces as Uint8Array<ArrayBuffer>[]).text()) as object;
  } catch (cause) {
    throw new WaggleError(
      "MODEL_CORRUPT",
      `${url.split("?")[0]} must answer with JSON, got something else; check the endpoint`,
      { cause },
    );
  }
}

function hashOrNull(value: unknown): string | null {
  return typeof value === "string" && /^[0-9a-f]{64}$/.test(value) ? value : null;
}
