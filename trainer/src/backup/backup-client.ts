/** Edge calls of backup and restore. They need the operator's credential of the installation. */
import { createHash } from "node:crypto";
import { mkdir, open, rename } from "node:fs/promises";
import { dirname } from "node:path";
import {
  BackupResponse,
  type BackupResponse as Page,
  type BackupRow,
  type BackupTable,
  boundary,
  RestoreResponse,
  type RestoreResponse as Restored,
  WaggleError,
} from "@waggle/protocol";
import { createEdgeTransport, type EdgeTransportOptions } from "../edge/edge-transport.ts";

/** Calls about the stored data of a site. */
export interface BackupClient {
  /** @param cursor - `nextCursor` of the page before, `null` for the first */
  page(site: string, table: BackupTable, cursor: string | null): Promise<Page>;
  /** Stores rows that the site lacks. */
  restore(site: string, table: BackupTable, rows: readonly BackupRow[]): Promise<Restored>;
  /** Writes an object to a file. @throws WaggleError `NOT_FOUND`, `DIGEST_MISMATCH` */
  save(sha256: string, sizeBytes: number, path: string): Promise<void>;
}

/** Creates a client. @param options - headers must contain the operator's signature */
export function createBackupClient(options: EdgeTransportOptions): BackupClient {
  const { answer, send } = createEdgeTransport(options);
  const pathOf = (site: string, table: BackupTable): string =>
    `/v1/operator/sites/${site}/backup/${table}`;
  return {
    page(site, table, cursor) {
      const from = cursor === null ? "" : `?cursor=${encodeURIComponent(cursor)}`;
      return answer({ method: "GET", path: pathOf(site, table) + from }, BackupResponse);
    },
    restore: (site, table, rows) =>
      answer({ method: "PUT", path: pathOf(site, table), json: { rows } }, RestoreResponse),
    save: (sha256, sizeBytes, path) =>
      send({ method: "GET", path: `/v1/objects/${sha256}`, movedBytes: sizeBytes }, ({ body }) =>
        boundary("network", () => write(body, sha256, path)),
      ),
  };
}

/** Writes beside the file and renames it when all bytes are there. */
async function write(
  body: ReadableStream<Uint8Array> | null,
  sha256: string,
  path: string,
): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const partial = `${path}.partial`;
  const hash = createHash("sha256");
  const file = await open(partial, "w");
  try {
    for await (const chunk of body ?? []) {
      hash.update(chunk);
      await file.write(chunk);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  if (hash.digest("hex") !== sha256) {
    throw new WaggleError("DIGEST_MISMATCH", `the edge sent other bytes than those of ${sha256}`, {
      retryable: true,
    });
  }
  await rename(partial, path);
}
