/**
 * What the staff of a site write about trajectories: comments for colleagues, and answers that the policy should have given.
 * The trainer gets an answer with the trajectory's next lease. A trajectory that it learned from or skipped before becomes
 * ready once more for each answer.
 */
import { createRedactor } from "@waggle/collector";
import {
  FEEDBACK_TEXT_LENGTH,
  type StaffNote,
  type StaffNoteRequest,
  type TrajectoryRow,
  WaggleError,
} from "@waggle/protocol";
import { auditStatement, type Decision } from "../audit-log.ts";
import { endWaiting, type TeachingFeedback } from "../awaited-feedback.ts";
import type { Settings } from "../settings.ts";
import type { SiteDatabase } from "../sites/site-database.ts";
import { findRow } from "../trajectory-rows.ts";
import { type ConsentTime, endedConsentOf } from "../visitors/ended-consent.ts";
import { lacksFeedbackConsent } from "../visitors/feedback-consent.ts";

/** Maximum number of notes on one trajectory. */
const MOST_NOTES = 100;

type Row = Omit<StaffNote, "at"> & { readonly at: number };

const COLUMNS = "id, kind, text, actor AS by, at";

const toNote = ({ at, ...row }: Row): StaffNote => ({ ...row, at: new Date(at).toISOString() });

/**
 * Stores a note. Repeating it changes nothing.
 * @throws WaggleError `NOT_FOUND` without such a trajectory; `CONFLICT` for an answer that nothing learns from, or with too many
 *   notes; `REPLAYED` for an id that another note has
 */
export async function addNote(
  db: SiteDatabase,
  digest: string,
  { id, kind, text }: StaffNoteRequest,
  { CONSENT_DAYS, ...teaching }: TeachingFeedback & Pick<Settings, "CONSENT_DAYS">,
  decision: Decision,
): Promise<StaffNote> {
  const found = await findRow(db, digest);
  if (!found) throw new WaggleError("NOT_FOUND", "no trajectory with this digest is stored");
  const { row } = found;
  if (kind === "answer" && row.task !== null) {
    throw new WaggleError(
      "CONFLICT",
      "this is a practice task, which a verifier judges, so no answer of staff is learned; write a comment",
    );
  }
  const time = { CONSENT_DAYS, now: decision.now };
  const untaught = kind === "answer" ? await whyUntaught(db, row, time) : null;
  if (untaught !== null) {
    throw new WaggleError(
      "CONFLICT",
      `nothing is learned from this trajectory (${untaught}), so no answer of staff is; write a comment`,
    );
  }
  // Placeholders can be longer than what they replace.
  const redacted = createRedactor().redact(text).slice(0, FEEDBACK_TEXT_LENGTH);
  const notes = await notesOn(db, digest);
  const same = notes.find((note) => note.id === id);
  if (same?.kind === kind && same.text === redacted) return same;
  if (same !== undefined || (await isTaken(db, id))) throw takenId();
  if (notes.length >= MOST_NOTES) {
    throw new WaggleError(
      "CONFLICT",
      `this trajectory has ${MOST_NOTES} notes, the most there can be`,
    );
  }
  const isTaught = kind === "answer" && teaching.FEEDBACK_FROM.includes("staff");
  const { by, now } = decision;
  const action = kind === "answer" ? "write-answer" : "write-comment";
  const reason = `trajectory ${digest.slice(0, 16)}`;
  const [inserted] = await db.batch([
    db
      .prepare(
        `INSERT INTO staffNotes (site, id, digest, visitorId, kind, text, actor, at, isPending)
         SELECT site, ?2, digest, visitorId, ?3, ?4, ?5, ?6, ?7 FROM trajectories
         WHERE +site = ?site AND digest = ?1
         ON CONFLICT DO NOTHING`,
      )
      .bind(digest, id, kind, redacted, by, now, isTaught ? 1 : 0),
    auditStatement(db, action, { ...decision, reason }),
    ...(isTaught ? [readyAgain(db, digest), ...endWaiting(db, [row.id], teaching)] : []),
  ]);
  if (inserted?.meta.changes === 0) throw takenId();
  return { id, kind, text: redacted, by, at: new Date(now).toISOString() };
}

/** Reasons that end only with a new record: the edge leases it to no trainer, or each trainer skips it. */
const NEVER_TAUGHT: readonly string[] = [
  "no-train-consent",
  "statistics-only",
  "consent-expired",
  "consent-withdrawn",
];

/** Why no trainer may learn an answer to this request; `null` if one may. */
async function whyUntaught(
  db: SiteDatabase,
  { id, digest, visitorId, reason }: TrajectoryRow,
  time: ConsentTime,
): Promise<string | null> {
  if (reason !== null && NEVER_TAUGHT.includes(reason)) return reason;
  const ended = await endedConsentOf(db, digest, time);
  if (ended !== null) return ended;
  return (await lacksFeedbackConsent(db, visitorId, id)) ? "no-feedback-consent" : null;
}

/** Whether a note of any trajectory has this id. */
async function isTaken(db: SiteDatabase, id: string): Promise<boolean> {
  const note = await db
    .prepare("SELECT 1 FROM staffNotes WHERE site = ?site AND id = ?1")
    .bind(id)
    .first();
  return note !== null;
}

function takenId(): WaggleError {
  return new WaggleError("REPLAYED", "this note id is already taken; use a new id");
}

/** Lets the trainer lease a trajectory again. The step that first learned from it stays noted. */
function readyAgain(db: SiteDatabase, digest: string): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE trajectories SET status = 'stored', reason = NULL, leaseId = NULL
       WHERE +site = ?site AND digest = ?1 AND status IN ('learned', 'skipped')`,
    )
    .bind(digest);
}

/** Notes on a trajectory, oldest first. */
export async function notesOn(db: SiteDatabase, digest: string): Promise<StaffNote[]> {
  const { results } = await db
    .prepare(
      `SELECT ${COLUMNS} FROM staffNotes WHERE +site = ?site AND digest = ?1 ORDER BY at, id`,
    )
    .bind(digest)
    .all<Row>();
  return results.map(toNote);
}

/** The newest answer to each trajectory of a lease, by digest. They count as delivered. */
export async function takeAnswers(
  db: SiteDatabase,
  leaseId: string,
): Promise<ReadonlyMap<string, string>> {
  const { results } = await db
    .prepare(
      `UPDATE staffNotes SET isPending = 0
       WHERE +site = ?site AND kind = 'answer' AND digest IN
         (SELECT digest FROM trajectories WHERE site = ?site AND leaseId = ?1 AND status = 'leased')
       RETURNING digest, text, at`,
    )
    .bind(leaseId)
    .all<{ digest: string; text: string; at: number }>();
  const sorted = results.toSorted((a, b) => a.at - b.at);
  return new Map(sorted.map(({ digest, text }) => [digest, text]));
}

/**
 * Takes back that a lease learned from trajectories, or skipped them, if an answer to them was written meanwhile. Run it before
 * the lease's rows are given back.
 */
export function keepUnanswered(db: SiteDatabase, leaseId: string): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE trajectories SET status = 'leased', reason = NULL
       WHERE +site = ?site AND leaseId = ?1 AND status IN ('learned', 'skipped')
         AND EXISTS (SELECT 1 FROM staffNotes n
                     WHERE +n.site = ?site AND n.digest = trajectories.digest AND n.isPending = 1)`,
    )
    .bind(leaseId);
}
