/** Damages the stored object of a trajectory in the local R2 of `wrangler dev`. */
import { globSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Installation } from "../../scripts/stack.ts";

/** The newest trajectory that no damage has met. @returns false where there is none */
export function damageTrajectory({ folder }: Installation): boolean {
  const r2 = join(folder, "edge", "v3", "r2");
  for (const file of globSync(join(r2, "*", "*.sqlite"))) {
    const database = new DatabaseSync(file, { timeout: 5000 });
    try {
      const row = database
        .prepare(
          `SELECT blob_id AS blob FROM _mf_objects
           WHERE key LIKE 'trajectories/%' ORDER BY uploaded DESC LIMIT 1`,
        )
        .get() as { blob: string } | undefined;
      if (row === undefined) continue;
      const [blob] = globSync(join(dirname(r2), "r2", "*", "blobs", row.blob));
      if (blob === undefined) continue;
      writeFileSync(blob, "damaged");
      return true;
    } finally {
      database.close();
    }
  }
  return false;
}
