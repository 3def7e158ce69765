/** A chunk of a model that storage lost or damaged, from where it came. Loaded when one is. */
import { sha256, WaggleError } from "@waggle/protocol";
import type { Chunk, ChunkedContent } from "./chunked-content.ts";
import { requestBytes } from "./remote-bytes.ts";
import type { Fetch } from "./remote-bytes.ts";

/** Milliseconds of silence after which a chunk that is fetched again counts as lost. */
const REPAIR_STALL_MS = 20_000;

/**
 * @throws WaggleError `NETWORK` (retryable), `DIGEST_MISMATCH` where the server has other bytes by
 *   now.
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
      // a server without ranges sends all of it
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
    `a damaged piece of ${url.split("/").at(-1)?.split("?")[0] ?? url} must be fetched again as it was, got other bytes; delete the model and load it again`,
  );
}
