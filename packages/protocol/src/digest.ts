/** Content hashes: canonical JSON and SHA-256 through WebCrypto. Works in pages, Workers and Node. */
import { isObject } from "./json-object.ts";

/** JSON with sorted object keys and no spaces. Members that are `undefined` are omitted. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? "null";
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
  return `{${members.join(",")}}`;
}

/** SHA-256 of bytes, or of text as UTF-8, in lowercase hex. */
export async function sha256(data: Uint8Array | string): Promise<string> {
  const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
  const hash = await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>);
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The trajectory's identity: the SHA-256 of its canonical JSON. */
export function trajectoryDigest(trajectory: object): Promise<string> {
  return sha256(canonicalJson(trajectory));
}

/** Content hash of a model folder: the SHA-256 of the sorted lines `<sha256>  <path>\n`. */
export function fileListDigest(
  files: readonly { readonly path: string; readonly sha256: string }[],
): Promise<string> {
  return sha256(
    [...files]
      .sort((a, b) => (a.path < b.path ? -1 : 1))
      .map((file) => `${file.sha256}  ${file.path}\n`)
      .join(""),
  );
}
