/** Reports about versions, one object each, that only the site's operator reads. */
import { WaggleError, type VersionReport, type VersionReportResponse } from "@waggle/protocol";
import type { SiteStores } from "../endpoint.ts";
import { findPolicy } from "../policy-store.ts";
import { nameInSite } from "../sites/site-name.ts";

const reportKey = (site: string, version: number): string =>
  nameInSite(site, `reports/${version}.json`);

/**
 * Stores a report and the number of visitors that the version learned from. They are counted now, because the retention
 * deletes trajectories.
 * @throws WaggleError `NOT_FOUND` for a version that was never published
 */
export async function storeReport(
  { DB, OBJECTS }: SiteStores,
  version: number,
  report: VersionReport,
): Promise<void> {
  const { step } = await findPolicy(DB, version);
  const steps = report.learnedFrom?.steps ?? 0;
  const counted = await DB.prepare(
    `SELECT COUNT(DISTINCT visitorId) AS visitors FROM trajectories
     WHERE site = ?site AND learnedAtStep > ?1 AND learnedAtStep <= ?2 AND +status = 'learned'`,
  )
    .bind(step - steps, step)
    .first<{ visitors: number }>();
  const stored: VersionReportResponse = { report, visitors: counted?.visitors ?? 0 };
  await OBJECTS.put(reportKey(DB.site, version), JSON.stringify(stored));
}

/** @throws WaggleError `NOT_FOUND` */
export async function readReport(
  { DB, OBJECTS }: SiteStores,
  version: number,
): Promise<VersionReportResponse> {
  const object = await OBJECTS.get(reportKey(DB.site, version));
  if (object !== null) return object.json<VersionReportResponse>();
  throw new WaggleError("NOT_FOUND", `there is no report about version ${version}`);
}
