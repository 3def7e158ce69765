/**
 * How far each trainer's state is. A trainer whose state is behind what it reported before was restored
 * from an older copy; one that is unknown here lost its state or is new.
 */
import type { Lineage, LineageResponse } from "@waggle/protocol";

/** Keeps the furthest step of a state. */
export function noteLineage(db: D1Database, { stateId, step }: Lineage): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO lineages (stateId, step) VALUES (?1, ?2)
       ON CONFLICT (stateId) DO UPDATE SET step = MAX(step, excluded.step)`,
    )
    .bind(stateId, step);
}

/** What was known of this state before, and the last step of any. */
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
