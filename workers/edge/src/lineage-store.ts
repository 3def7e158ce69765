/**
 * The progress of each trainer state. A state behind its last reported step was restored from an older copy.
 * An unknown state is new, or the previous one was lost.
 */
import type { Lineage, LineageResponse } from "@waggle/protocol";
import type { SiteDatabase } from "./sites/site-database.ts";

/** Stores the highest step of a state. */
export function noteLineage(db: SiteDatabase, { stateId, step }: Lineage): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO lineages (site, stateId, step) VALUES (?site, ?1, ?2)
       ON CONFLICT (site, stateId) DO UPDATE SET step = MAX(step, excluded.step)`,
    )
    .bind(stateId, step);
}

/** The last known step of this state, and the newest step of all. */
export async function openLineage(db: SiteDatabase, lineage: Lineage): Promise<LineageResponse> {
  const known = await db
    .prepare(
      `SELECT (SELECT step FROM lineages WHERE site = ?site AND stateId = ?1) AS knownStep,
              MAX(COALESCE((SELECT MAX(step) FROM lineages WHERE site = ?site), 0),
                  COALESCE((SELECT MAX(step) FROM metrics WHERE site = ?site), 0)) AS newestStep`,
    )
    .bind(lineage.stateId)
    .first<LineageResponse>();
  await noteLineage(db, lineage).run();
  return { knownStep: known?.knownStep ?? null, newestStep: known?.newestStep ?? 0 };
}
