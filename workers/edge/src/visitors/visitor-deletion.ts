/** Deletes all data of one visitor, for the visitor or the operator. */
import type { DeletionResponse } from "@waggle/protocol";
import { forgetVisitor } from "../forgotten-store.ts";
import { deleteVisitorObjects } from "../object-store.ts";
import type { SiteStores } from "../endpoint.ts";

/** Deletes rows first: an object without a row is invisible, but a row without an object is a fault. */
export async function deleteVisitor(
  { DB, OBJECTS }: SiteStores,
  visitorId: string,
  now: number,
): Promise<DeletionResponse> {
  const deleted = await forgetVisitor(DB, visitorId, now);
  await deleteVisitorObjects(OBJECTS, DB.site, visitorId);
  return deleted;
}
