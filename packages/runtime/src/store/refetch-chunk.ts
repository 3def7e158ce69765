/** Fetches a model's chunk again that storage lost or damaged. Loaded on demand. */
import { sha256, WaggleError } from "@waggle/protocol";
import type { Chunk, ChunkedContent } from "./chunked-content.ts";
import { requestBytes } from "./remote-bytes.ts";
import type { Fetch } from "./remote-bytes.ts";

/** Milliseconds of silence after which fetching a chunk fails. */
const REPAIR_STALL_MS = 20_000;

/**
 * @throws WaggleError `NETWORK` (retryable), `DIGEST_MISMATCH` if the server has other bytes by now.
 */
export async function refetchChunk(
  { url, chunkBytes, chunks }: ChunkedContent,
  index: number,
  options: { readonly fetch?: Fetch; readonly signal?: AbortSignal },
): Promise<Uint8Array<ArrayBuffer>> {
  const chunk = chunks[index] as Chunk;
  const begin = index * chunkBytes;
  const end = begin + chunk.sizeBytes;
  const answer = await requestBytes({
    url,
    fetch: options.fetch ?? ((address, init) => globalThis.fetch(address, init)),
    offset: begin,
    end,
    stallMs: REPAIR_STALL_MS,
    signal: options.signal,
  });
  if (answer.kind === "refused") throw answer.error;
  const bytes = new Uint8Array(chunk.sizeBytes);
  if (answer.kind === "body") {
    let at = answer.offset;
    for await (const piece of answer.pieces()) {
      // a server without ranges sends the whole file
      const wanted = piece.subarray(
        Math.max(0, begin - at),
        Math.max(0, Math.min(piece.length, end - at)),
      );
      if (wanted.length > 0) bytes.set(wanted, Math.max(at, begin) - begin);
      at += piece.length;
      if (at >= end) break;
    }
  }
  if ((await sha256(bytes)) === chunk.sha256) return bytes;
  throw new WaggleError(
    "DIGEST_MISMATCH",
    `${url.split("/").at(-1)?.split("?")[0] ?? url} is damaged in storage and has changed on its server; delete the model and load it again`,
  );
}
