/**
 * Compares what is stored for a site, one page per request. A cursor is the name of a check and the place in it, so that a
 * comparison that was stopped goes on from its last page.
 */
import { ReconcileRequest, ReconcileResponse, WaggleError } from "@waggle/protocol";
import { decisionOf, operatorName } from "../actor.ts";
import { unwrap } from "../answer.ts";
import { auditStatement } from "../audit-log.ts";
import { readJson } from "../body.ts";
import { coordinatorOf } from "../coordinator.ts";
import { type EdgeContext, type Endpoint, storesOf } from "../endpoint.ts";
import type { CheckedPage, PageRequest } from "../reconcile/checked-page.ts";
import { checkFiles } from "../reconcile/file-check.ts";
import { checkLetters } from "../reconcile/letter-check.ts";
import { checkNotes } from "../reconcile/note-check.ts";
import { checkObjects } from "../reconcile/object-check.ts";
import { checkRows } from "../reconcile/row-check.ts";

type Check = (context: EdgeContext, page: PageRequest) => Promise<CheckedPage>;

/**
 * In this order a repair finds what a look finds: letters before the rows that a repair rejects, groups before the rows
 * whose repair opens them. Leases come before both, because one that is ended returns its rows and groups.
 */
const CHECKS: { readonly [name: string]: Check } = {
  objects: (context, page) => checkObjects(storesOf(context), page),
  letters: (context, page) => checkLetters(context.var.db, page),
  notes: (context, page) => checkNotes(context.var.db, page),
  rows: (context, page) => checkRows(storesOf(context), page),
  files: (context, page) => checkFiles(storesOf(context), page),
  leases: async ({ env, var: { site } }, page) =>
    unwrap(await coordinatorOf(env, site.id).checkLeases(page)),
  "leased-groups": async ({ env, var: { site } }, page) =>
    unwrap(await coordinatorOf(env, site.id).checkLeasedGroups(page)),
  "leased-rows": async ({ env, var: { site } }, page) =>
    unwrap(await coordinatorOf(env, site.id).checkLeasedRows(page)),
};
const ORDER = Object.keys(CHECKS);

/** @throws WaggleError `SCHEMA_INVALID` */
function placeOf(cursor: string | null): { name: string; check: Check; after: string } {
  const [name = "", ...after] = (cursor ?? `${ORDER[0]}:`).split(":");
  const check = Object.hasOwn(CHECKS, name) ? CHECKS[name] : undefined;
  if (check !== undefined && after.length > 0) return { name, check, after: after.join(":") };
  throw new WaggleError("SCHEMA_INVALID", "the cursor is not the nextCursor of a page before");
}

/** How many of each kind were repaired, for the audit log. */
function repairs({ found }: CheckedPage): string {
  const kinds = Map.groupBy(
    found.filter(({ repaired }) => repaired),
    ({ kind }) => kind,
  );
  return [...kinds].map(([kind, each]) => `${kind}: ${each.length}`).join(", ");
}

/** `POST /v1/operator/reconcile`. */
export const reconcileEndpoints: readonly Endpoint[] = [
  {
    method: "post",
    path: "/v1/operator/reconcile",
    operationId: "reconcile",
    summary:
      "Compares a page of objects, rows, files, leases, dead letters or notes, and repairs it on request.",
    access: "operator",
    parameters: [operatorName],
    request: ReconcileRequest,
    responses: { 200: ReconcileResponse },
    handle: async (context) => {
      const { cursor, repair } = await readJson(context.req.raw, ReconcileRequest);
      const { name, check, after } = placeOf(cursor);
      const page = await check(context, { after, repair, now: context.var.now });
      const repaired = repairs(page);
      if (repaired !== "") {
        const decision = decisionOf(context, "operator", repaired);
        await auditStatement(context.var.db, "repair", decision).run();
      }
      const following = ORDER[ORDER.indexOf(name) + 1];
      const answer: ReconcileResponse = {
        checked: page.checked,
        found: page.found,
        nextCursor:
          page.next !== null
            ? `${name}:${page.next}`
            : following === undefined
              ? null
              : `${following}:`,
      };
      return context.json(answer);
    },
  },
];
