/** What the edge knows of senders: its own migrations and triggers, in SQLite in memory. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { TrajectoryOutcome } from "@waggle/protocol";
import { type Evidence, reputationWeight } from "../../../workers/edge/src/visitors/reputation.ts";
import { ROOT } from "../../root.ts";

const MIGRATIONS = join(ROOT, "workers/edge/migrations");
const NOTHING: Evidence = { verified: 0, forged: 0, dropped: 0 };

/** Who sent a record, and from where. */
export type Sender = { readonly visitorId: string; readonly network: string };

/** Counts of one site's senders. */
export class ReputationLedger {
  readonly #db = new DatabaseSync(":memory:");
  #unanswered = 0;

  constructor() {
    for (const file of readdirSync(MIGRATIONS).toSorted()) {
      this.#db.exec(readFileSync(join(MIGRATIONS, file), "utf8"));
    }
  }

  /** Weight of a sender's next record, in [0, 1]. */
  weightOf({ visitorId, network }: Sender): number {
    return reputationWeight(this.#evidenceOf(visitorId), this.#evidenceOf(network));
  }

  /** Counts the trainer's outcome for a record. */
  judge({ visitorId, network }: Sender, outcome: TrajectoryOutcome): void {
    const { digest, status, reason = null, logProbGapMean = null, drawMismatches = null } = outcome;
    this.#db
      .prepare(
        `INSERT INTO trajectories (site, digest, id, visitorId, network, policyVersion, tokens, stopReason,
           objectKey, sizeBytes, receivedAt, status)
         VALUES ('default', ?1, ?1, ?2, ?3, 0, 1, 'completed', '', 1, 0, 'leased')`,
      )
      .run(digest, visitorId, network);
    this.#db
      .prepare(
        `UPDATE trajectories SET status = ?2, reason = ?3, logProbGapMean = ?4, drawMismatches = ?5
         WHERE digest = ?1`,
      )
      .run(digest, status, reason, logProbGapMean, drawMismatches);
  }

  /** Counts a task that the visitor never answered. */
  leaveUnanswered(visitorId: string): void {
    const id = String((this.#unanswered += 1));
    this.#db
      .prepare(
        `INSERT INTO assignments (site, id, groupId, visitorId, createdAt, samplingSeed)
         VALUES ('default', ?1, ?1, ?2, 0, 1)`,
      )
      .run(id, visitorId);
    this.#db.prepare("UPDATE assignments SET state = 'expired' WHERE id = ?1").run(id);
  }

  close(): void {
    this.#db.close();
  }

  #evidenceOf(holder: string): Evidence {
    const found = this.#db
      .prepare("SELECT verified, forged, dropped FROM reputations WHERE holder = ?1")
      .get(holder);
    return (found as Evidence | undefined) ?? NOTHING;
  }
}
