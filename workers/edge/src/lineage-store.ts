/**
 * The progress of each trainer state. A state behind its last reported step was restored from an older copy.
 * An unknown state is new, or the previous one was lost.
 */
import type { Lineage, LineageResponse } from "@waggle/protocol";

/** Stores the highest step of a state. */
export function noteLineage(db: D1Database, { stateId, step }: Lineage): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO lineages (stateId, step) VALUES (?1, ?2)
       ON CONFLICT (stateId) DO UPDATE SET step = MAX(step, excluded.step)`,
    )
    .bind(stateId, step);
}

/** The last known step of this state, and the newest step of all. */
export async function openLineage(db: D1Database, lineage: Lineage): Promise<LineageResponse> {
  const known = await db
    .prepare(
      `SELECT (SELECT step FROM lineages WHERE stateId = ?1) AS knownStep,
              MAX(COALESCE((SELECT MAX(step) FROM lineages), 0),
                  COALESCE((SELECT MAX(step) FROM metrics), 0)) AS newestStep`,
    )
    .bind(lineage.stateId)
    .first<LineageResponse>();
  await noteLineage(db, lineage).run();
  return { knownStep: known?.knownStep ?? null, newestStep: known?.newestStep ?? 0 };
}
