/**
 * What visitors agreed to. A receipt is a row that the edge has signed, and a copy of it at the visitor's page. The row decides
 * what is stored; the copy lets a page withdraw, and a visitor prove what was agreed.
 */
import {
  canonicalJson,
  type Consent,
  type ConsentReceipt,
  type ConsentRequest,
  consentScopes,
  isConsentCurrent,
  type StoredReceipt,
  WaggleError,
} from "@waggle/protocol";
import { forgottenName, forgottenRefusal, isForgotten } from "../forgotten-store.ts";
import type { SiteDatabase } from "../sites/site-database.ts";
import { receiptSignature } from "./receipt-signature.ts";

/** Most consents of one visitor. */
const MAX_CONSENTS = 100;

type Row = {
  readonly visitorId: string;
  readonly consent: string;
  readonly textSha256: string | null;
  readonly language: string | null;
  readonly recordedAt: number;
  readonly signature: string;
  readonly withdrawnAt: number | null;
};

const COLUMNS = "visitorId, consent, textSha256, language, recordedAt, signature, withdrawnAt";

const timeOf = (ms: number): string => new Date(ms).toISOString();

function toStored(site: string, row: Row): StoredReceipt {
  const { visitorId, textSha256, language, recordedAt, signature, withdrawnAt } = row;
  return {
    receipt: {
      site,
      visitorId,
      consent: JSON.parse(row.consent) as Consent,
      ...(textSha256 !== null && {
        text: { sha256: textSha256, ...(language !== null && { language }) },
      }),
      recordedAt: timeOf(recordedAt),
      signature,
    },
    withdrawnAt: withdrawnAt === null ? null : timeOf(withdrawnAt),
  };
}

/** All receipts of a visitor, ordered by the time at which the visitor agreed. */
export async function receiptsOf(db: SiteDatabase, visitorId: string): Promise<StoredReceipt[]> {
  const { results } = await db
    .prepare(`SELECT ${COLUMNS} FROM consents WHERE site = ?site AND visitorId = ?1`)
    .bind(visitorId)
    .all<Row>();
  return results
    .map((row) => toStored(db.site, row))
    .toSorted((a, b) => grantedAt(a) - grantedAt(b));
}

const grantedAt = ({ receipt }: StoredReceipt): number => Date.parse(receipt.consent.grantedAt);

/** The receipt of exactly this consent; `null` for none. */
export function receiptFor(
  receipts: readonly StoredReceipt[],
  consent: Consent,
): StoredReceipt | null {
  const wanted = canonicalJson(consent);
  return receipts.find(({ receipt }) => canonicalJson(receipt.consent) === wanted) ?? null;
}

/** The error for what comes without a receipt. */
export function unproven(): WaggleError {
  return new WaggleError(
    "CONSENT_UNPROVEN",
    "this edge has no receipt of this consent for this visitor; reload the page, or send the consent to POST /v1/consents",
  );
}

/**
 * Requires that a visitor agreed to this. The newest consent counts as well, because a visitor may have allowed less since.
 * @throws WaggleError `CONSENT_UNPROVEN` without a receipt, `CONSENT_MISSING` if it was withdrawn or narrowed
 */
export function requireReceipt(receipts: readonly StoredReceipt[], consent: Consent): void {
  const found = receiptFor(receipts, consent);
  if (found === null) throw unproven();
  if (found.withdrawnAt !== null) {
    throw new WaggleError("CONSENT_MISSING", "this consent was withdrawn; ask the visitor again");
  }
  const newest = receipts.at(-1)?.receipt.consent ?? consent;
  const allowed = consentScopes(newest);
  if (consentScopes(consent).every((scope) => allowed.includes(scope))) return;
  throw new WaggleError(
    "CONSENT_MISSING",
    "the visitor has allowed less since this consent; what was recorded under it is not taken",
  );
}

/**
 * What the visitor agrees to now. It decides about feedback and rewards, which name no consent.
 * @param days - how long a consent holds at this site
 * @returns `null` for a visitor without any receipt
 * @throws WaggleError `CONSENT_MISSING` if it was withdrawn, `CONSENT_EXPIRED`
 */
export function presentConsent(
  receipts: readonly StoredReceipt[],
  days: number,
  now: number,
): Consent | null {
  const newest = receipts.at(-1)?.receipt.consent;
  if (newest === undefined) return null;
  requireReceipt(receipts, newest);
  if (isConsentCurrent(newest, days, now)) return newest;
  throw new WaggleError(
    "CONSENT_EXPIRED",
    `the visitor's consent was not given in the last ${days} days; ask the visitor again`,
  );
}

/**
 * Records a consent, which may be recorded already.
 * @throws WaggleError `CONSENT_MISSING` for a forgotten visitor or a consent that was withdrawn, `CONFLICT` for too many
 */
export async function recordConsent(
  db: SiteDatabase,
  visitorId: string,
  { consent, text }: ConsentRequest,
  secret: string,
  now: number,
): Promise<ConsentReceipt> {
  const unsigned = {
    site: db.site,
    visitorId,
    consent,
    ...(text !== undefined && { text }),
    recordedAt: timeOf(now),
  };
  await db
    .prepare(
      `INSERT INTO consents (site, ${COLUMNS})
       SELECT ?site, ?1, ?2, ?3, ?4, ?5, ?6, NULL
       WHERE NOT EXISTS (SELECT 1 FROM forgottenVisitors WHERE site = ?site AND visitor = ?7)
         AND (SELECT COUNT(*) FROM consents WHERE site = ?site AND visitorId = ?1) < ${MAX_CONSENTS}
       ON CONFLICT DO NOTHING`,
    )
    .bind(
      visitorId,
      canonicalJson(consent),
      text?.sha256 ?? null,
      text?.language ?? null,
      now,
      await receiptSignature(unsigned, secret),
      await forgottenName(visitorId),
    )
    .run();
  const stored = receiptFor(await receiptsOf(db, visitorId), consent);
  if (stored === null) {
    if (await isForgotten(db, visitorId)) throw forgottenRefusal();
    throw new WaggleError(
      "CONFLICT",
      `this visitor has agreed ${MAX_CONSENTS} times, the most there can be`,
    );
  }
  if (stored.withdrawnAt === null) return stored.receipt;
  throw new WaggleError("CONSENT_MISSING", "this consent was withdrawn; ask the visitor again");
}

/** Records that these consents were withdrawn. @returns how many were not withdrawn before */
export async function withdrawConsents(
  db: SiteDatabase,
  receipts: readonly ConsentReceipt[],
  now: number,
): Promise<number> {
  const named = receipts.map(({ visitorId, consent }) => ({
    visitorId,
    consent: canonicalJson(consent),
  }));
  const { results } = await db
    .prepare(
      `UPDATE consents SET withdrawnAt = ?2
       FROM json_each(?1) AS r
       WHERE +consents.site = ?site AND consents.visitorId = r.value ->> 'visitorId'
         AND consents.consent = r.value ->> 'consent' AND consents.withdrawnAt IS NULL
       RETURNING 1`,
    )
    .bind(JSON.stringify(named), now)
    .all();
  return results.length;
}

/** Rows that are deleted in one call. */
const DELETED_ROWS = 500;

/**
 * Deletes some of the consents that were recorded before `before`, are withdrawn or were recorded before `expired`, and have
 * no trajectory of their visitor.
 * @returns how many; repeat while it is not 0
 */
export async function deleteOldConsents(
  db: SiteDatabase,
  before: number,
  expired: number,
): Promise<number> {
  const { results } = await db
    .prepare(
      `DELETE FROM consents WHERE +site = ?site AND (visitorId, consent) IN
         (SELECT visitorId, consent FROM consents AS c
          WHERE c.site = ?site AND c.recordedAt < ?1 AND (c.withdrawnAt IS NOT NULL OR c.recordedAt < ?2)
            AND NOT EXISTS (SELECT 1 FROM trajectories t WHERE t.visitorId = c.visitorId AND +t.site = c.site)
          ORDER BY c.recordedAt LIMIT ${DELETED_ROWS}) RETURNING 1`,
    )
    .bind(before, expired)
    .all();
  return results.length;
}

/** Consents that one search for the oldest looks at. */
const SEARCHED_ROWS = 500;

/**
 * When the oldest consent was recorded that `deleteOldConsents` can delete once it is old enough; `null` if there is none among
 * the oldest. One whose visitor has trajectories waits for their deletion. The site looks again within a day.
 */
export function oldestConsentAt(db: SiteDatabase, isWithdrawn: boolean): Promise<number | null> {
  // The condition is written out, so that the index of withdrawn consents can be used.
  return db
    .prepare(
      `SELECT recordedAt FROM
         (SELECT visitorId, recordedAt, withdrawnAt FROM consents
          WHERE site = ?site ${isWithdrawn ? "AND withdrawnAt IS NOT NULL" : ""}
          ORDER BY recordedAt LIMIT ${SEARCHED_ROWS}) AS c
       WHERE c.withdrawnAt IS ${isWithdrawn ? "NOT NULL" : "NULL"}
         AND NOT EXISTS (SELECT 1 FROM trajectories t WHERE t.visitorId = c.visitorId AND +t.site = ?site)
       ORDER BY c.recordedAt LIMIT 1`,
    )
    .bind()
    .first<number>("recordedAt");
}
