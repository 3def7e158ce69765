/** Backup and restore of the rows of a site, for the operator of the installation. */
import {
  BackupResponse,
  BackupTable,
  RestoreRequest,
  RestoreResponse,
  SiteId,
  UPLOAD_LIMITS,
  WaggleError,
} from "@waggle/protocol";
import { z } from "zod";
import { decisionOf, operatorName } from "../actor.ts";
import { auditStatement } from "../audit-log.ts";
import { readTable } from "../backup/backup-rows.ts";
import { restoreRows } from "../backup/restore-rows.ts";
import { readJson } from "../body.ts";
import type { EdgeContext, Endpoint, Parameter, SiteStores } from "../endpoint.ts";
import { siteDatabase } from "../sites/site-database.ts";
import { requireSite, siteDirectory } from "../sites/site-directory.ts";

/** A page of objects, as JSON strings in JSON. */
const RESTORE_BYTES = 3 * UPLOAD_LIMITS.bodyBytes;

const site: Parameter = { name: "site", in: "path", description: "Id of a site.", schema: SiteId };
const table: Parameter = {
  name: "table",
  in: "path",
  description: "A table of a backup.",
  schema: BackupTable,
};
const cursor: Parameter = {
  name: "cursor",
  in: "query",
  description: "`nextCursor` of the previous page.",
  schema: z.string().max(1000).optional(),
};

/** The stores of the site in the path. @throws WaggleError `NOT_FOUND` */
async function storesIn({ env, req }: EdgeContext): Promise<SiteStores> {
  const { id } = requireSite(await siteDirectory(env), req.param("site") ?? "");
  return { DB: siteDatabase(env.DB, id), OBJECTS: env.OBJECTS };
}

/** @throws WaggleError `NOT_FOUND` */
function tableIn({ req }: EdgeContext): BackupTable {
  const parsed = BackupTable.safeParse(req.param("table"));
  if (parsed.success) return parsed.data;
  throw new WaggleError("NOT_FOUND", "a backup has no such table; see /openapi.json");
}

/** `/v1/operator/sites/{site}/backup/{table}`. */
export const backupEndpoints: readonly Endpoint[] = [
  {
    method: "get",
    path: "/v1/operator/sites/{site}/backup/{table}",
    operationId: "readBackup",
    summary: "A page of the rows of a site; trajectories with their content.",
    access: "installation",
    parameters: [site, table, cursor, operatorName],
    responses: { 200: BackupResponse },
    handle: async (context) => {
      const name = tableIn(context);
      const stores = await storesIn(context);
      const after = context.req.query("cursor");
      // Once in a backup, before content of visitors leaves the edge.
      if (name === "trajectories" && after === undefined) {
        await auditStatement(stores.DB, "back-up", decisionOf(context, "operator")).run();
      }
      const page = await readTable(stores, name, after);
      return context.json(page, 200, { "Cache-Control": "no-store" });
    },
  },
  {
    method: "put",
    path: "/v1/operator/sites/{site}/backup/{table}",
    operationId: "restoreBackup",
    summary: "Stores rows of a backup that the site lacks, except those of forgotten visitors.",
    access: "installation",
    parameters: [site, table, operatorName],
    request: RestoreRequest,
    responses: { 200: RestoreResponse },
    handle: async (context) => {
      const name = tableIn(context);
      const stores = await storesIn(context);
      const { rows } = await readJson(context.req.raw, RestoreRequest, RESTORE_BYTES);
      // Every restore begins with this table.
      if (name === "forgottenVisitors") {
        await auditStatement(stores.DB, "restore", decisionOf(context, "operator")).run();
      }
      return context.json(await restoreRows(stores, name, rows));
    },
  },
];
