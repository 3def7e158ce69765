/** Damages the stored object of a trajectory in the local R2 of `wrangler dev`. */
import { globSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Installation } from "../../packages/dev/src/stack/installation.ts";

const DAMAGE = "damaged";

/**
 * Damages the newest trajectory that is not damaged yet.
 *
 * @param isCut - true truncates the object, so that it cannot be read; false writes other bytes of the same length.
 * @returns false if there is none
 */
export function damageTrajectory({ folder }: Installation, isCut: boolean): boolean {
  const r2 = join(folder, "edge", "v3", "r2");
  for (const file of globSync(join(r2, "*", "*.sqlite"))) {
    for (const name of newestObjects(file)) {
      const [blob] = globSync(join(r2, "*", "blobs", name));
      if (blob === undefined || readFileSync(blob, "utf8").startsWith(DAMAGE)) continue;
      writeFileSync(blob, isCut ? DAMAGE : DAMAGE.padEnd(statSync(blob).size));
      return true;
    }
  }
  return false;
}

/** Names of the blobs of the newest trajectories in a bucket's database. */
function newestObjects(file: string): string[] {
  const database = new DatabaseSync(file, { timeout: 5000 });
  try {
    const tables = "SELECT 1 FROM sqlite_master WHERE name = '_mf_objects'";
    if (database.prepare(tables).get() === undefined) return [];
    return database
      .prepare(
        `SELECT blob_id AS name FROM _mf_objects
         WHERE key LIKE 'trajectories/%' ORDER BY uploaded DESC LIMIT 20`,
      )
      .all()
      .map(({ name }) => String(name));
  } finally {
    database.close();
  }
}
