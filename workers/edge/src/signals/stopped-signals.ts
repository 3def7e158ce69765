/** Signals that an operator has stopped. The trainer reads them before each step. */
import {
  type ControlState,
  MESSAGE_REWARDS,
  SIGNAL_STOPPED,
  type SignalName,
  WaggleError,
} from "@waggle/protocol";
import { auditStatement, type Decision } from "../audit-log.ts";
import type { Settings } from "../settings.ts";
import type { SiteDatabase } from "../sites/site-database.ts";

/** Trajectories that one statement makes ready again. */
const BATCH = 1000;

type SiteSignals = NonNullable<ControlState["signals"]>;
type StoppedRow = { signal: SignalName; actor: string; reason: string; at: number };

/** What the trainer of a site with these settings can learn from. */
function availableSignals({
  TASK_ENVIRONMENT,
  FEEDBACK_WAIT_SECONDS,
  FEEDBACK_FROM: from,
  METRICS,
}: Settings): SignalName[] {
  const verifier = TASK_ENVIRONMENT === "" ? [] : ["verifier"];
  const isJudged = from.includes("judge");
  if (FEEDBACK_WAIT_SECONDS === 0) return [...verifier, ...(isJudged ? ["judge:requests"] : [])];
  const kinds = Object.keys(MESSAGE_REWARDS).map((kind) => `message:${kind}`);
  const metrics = Object.entries(METRICS).filter(([, { weight }]) => weight !== 0);
  return [
    ...verifier,
    ...(from.includes("thumb") ? ["thumb"] : []),
    ...(from.includes("outcome") ? metrics.map(([name]) => `outcome:${name}`) : []),
    ...(from.includes("message") ? [...kinds, "correction"] : []),
    ...(from.includes("retry") ? ["message:retry"] : []),
    ...(["undo", "edit", "staff"] as const).filter((signal) => from.includes(signal)),
    ...(isJudged ? ["judge:messages"] : []),
  ];
}

/** The signals of a site, and those that were stopped before its settings changed. */
export async function readSignals(db: SiteDatabase, settings: Settings): Promise<SiteSignals> {
  const { results } = await db
    .prepare(
      `SELECT signal, actor, reason, at FROM signalSwitches
       WHERE site = ?site AND isStopped = 1 ORDER BY signal`,
    )
    .bind()
    .all<StoppedRow>();
  const stopped = new Map(results.map((row) => [row.signal, row]));
  const names = new Set([...availableSignals(settings), ...stopped.keys()]);
  return [...names].map((signal) => {
    const row = stopped.get(signal);
    if (row === undefined) return { signal, stopped: null };
    const { actor: by, reason, at } = row;
    return { signal, stopped: { by, reason, at: new Date(at).toISOString() } };
  });
}

/**
 * Makes trainers learn nothing more from a signal. Repeating it changes nothing.
 * @throws WaggleError `NOT_FOUND` for a signal that the site does not have
 */
export async function stopSignal(
  db: SiteDatabase,
  settings: Settings,
  signal: SignalName,
  decision: Decision,
): Promise<void> {
  const signals = await readSignals(db, settings);
  const known = signals.find((one) => one.signal === signal);
  if (known === undefined) {
    const names = signals.map((one) => one.signal).join(", ") || "none";
    throw new WaggleError("NOT_FOUND", `this site has no signal ${signal}; it has ${names}`);
  }
  if (known.stopped !== null) return;
  await db.batch(switchTo(db, signal, true, decision));
}

/** Lets trainers learn from a signal again, also from the trajectories that they skipped meanwhile. */
export async function startSignal(
  db: SiteDatabase,
  signal: SignalName,
  decision: Decision,
): Promise<void> {
  const stopped = await db
    .prepare(
      "SELECT 1 AS yes FROM signalSwitches WHERE site = ?site AND signal = ?1 AND isStopped = 1",
    )
    .bind(signal)
    .first();
  if (stopped === null) return;
  // Those whose other signals are still stopped are skipped once more.
  const again = db
    .prepare(
      `UPDATE trajectories SET status = 'stored', reason = NULL, leaseId = NULL
       WHERE +site = ?site AND digest IN
         (SELECT digest FROM trajectories
          WHERE site = ?site AND reason = ?1 AND +status = 'skipped' LIMIT ${BATCH})`,
    )
    .bind(SIGNAL_STOPPED);
  while ((await again.run()).meta.changes > 0);
  await db.batch(switchTo(db, signal, false, decision));
}

function switchTo(
  db: SiteDatabase,
  signal: SignalName,
  isStopped: boolean,
  decision: Decision,
): D1PreparedStatement[] {
  const { by, reason, now } = decision;
  const noted = reason === "" ? signal : `${signal}: ${reason}`;
  return [
    db
      .prepare(
        `INSERT OR REPLACE INTO signalSwitches (site, signal, isStopped, actor, reason, at)
         VALUES (?site, ?1, ?2, ?3, ?4, ?5)`,
      )
      .bind(signal, isStopped ? 1 : 0, by, reason, now),
    auditStatement(db, isStopped ? "stop-signal" : "start-signal", { ...decision, reason: noted }),
  ];
}

/**
 * Undoes the skips of a lease that was granted before a signal was started again: the trainer may not have known it yet.
 * Run it before the lease's rows are given back.
 */
export function keepStartedSignals(db: SiteDatabase, leaseId: string): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE trajectories SET status = 'leased', reason = NULL
       WHERE +site = ?site AND leaseId = ?1 AND status = 'skipped' AND reason = ?2
         AND (SELECT MAX(at) FROM signalSwitches WHERE site = ?site AND isStopped = 0)
           >= (SELECT createdAt FROM leases WHERE site = ?site AND id = ?1)`,
    )
    .bind(leaseId, SIGNAL_STOPPED);
}
