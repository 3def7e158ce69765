/** Where an edge serves an object, and the name under which a browser stores it. Both come from its hash. */
import type { ListedFile } from "./model-listing.ts";
import type { ModelSource } from "./model-source.ts";

export function objectKey(hash: string): string {
  return `o-${hash}`;
}

export function objectUrl(baseUrl: string, hash: string): string {
  return `${baseUrl.replace(/\/+$/, "")}/v1/objects/${hash}`;
}

/** The files of a model whose list is known. */
export function listObjects({
  baseUrl,
  model,
}: Extract<ModelSource, { kind: "objects" }>): ListedFile[] {
  return model.files.map((file) => ({
    ...file,
    key: objectKey(file.sha256),
    url: objectUrl(baseUrl, file.sha256),
    isImmutable: true,
    sizeHint: file.sizeBytes,
  }));
}
