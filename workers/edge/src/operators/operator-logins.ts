/**
 * Who used the operator's routes, and from where. Operators share a credential, so a name is only what the caller says;
 * the network is not. A request within ten minutes of the last one is not noted.
 */
import type { OperatorLogin } from "@waggle/protocol";
import { addressPrefix } from "../address-prefix.ts";
import { decisionOf } from "../actor.ts";
import type { EdgeContext } from "../endpoint.ts";
import type { SiteDatabase } from "../sites/site-database.ts";

const NOTE_EVERY_MS = 600_000;
/** Logins that are kept and shown. */
const LOGINS = 100;
/** Digits of a network's name that are stored. */
const DIGITS = 12;

/** When this isolate noted a login last. */
const noted = new Map<string, number>();

/** Notes the operator of a request. A failure to write does not fail the request. */
export async function noteLogin(context: EdgeContext): Promise<void> {
  const { db, now, settings, site } = context.var;
  const { by } = decisionOf(context, "operator");
  const prefix = await addressPrefix(context.req.raw, settings.SESSION_SECRET, site.id);
  const network = prefix.slice(0, DIGITS);
  const key = JSON.stringify([site.id, by, network]);
  if (now - (noted.get(key) ?? -Infinity) < NOTE_EVERY_MS) return;
  if (noted.size >= 1000) noted.clear();
  noted.set(key, now);
  await db
    .batch([
      db
        .prepare(
          `INSERT INTO operatorLogins (site, actor, network, firstAt, lastAt)
           VALUES (?site, ?1, ?2, ?3, ?3)
           ON CONFLICT (site, actor, network) DO UPDATE SET lastAt = excluded.lastAt`,
        )
        .bind(by, network, now),
      db
        .prepare(
          `DELETE FROM operatorLogins WHERE site = ?site AND (actor, network) NOT IN
             (SELECT actor, network FROM operatorLogins WHERE site = ?site
              ORDER BY lastAt DESC LIMIT ${LOGINS})`,
        )
        .bind(),
    ])
    .catch(() => noted.delete(key));
}

/** The last logins, newest first. */
export async function listLogins(db: SiteDatabase): Promise<OperatorLogin[]> {
  const { results } = await db
    .prepare(
      `SELECT actor AS by, network, firstAt, lastAt FROM operatorLogins
       WHERE site = ?site ORDER BY lastAt DESC LIMIT ${LOGINS}`,
    )
    .bind()
    .all<{ by: string; network: string; firstAt: number; lastAt: number }>();
  const iso = (ms: number): string => new Date(ms).toISOString();
  return results.map(({ firstAt, lastAt, ...rest }) => ({
    ...rest,
    firstAt: iso(firstAt),
    lastAt: iso(lastAt),
  }));
}
