/**
 * One decision about a running release, from what has been counted. The Coordinator makes it, so no two are made at the
 * same time. If the decision cannot be made or carried out, the release stays as it is and says why.
 */
import { type ReleaseDecision, releaseRule } from "@waggle/evaluation";
import type { PromotionGate } from "@waggle/protocol";
import { answer } from "../answer.ts";
import { auditStatement, type Decision, EDGE } from "../audit-log.ts";
import { promotePolicy, rollBackPolicy } from "../policy-changes.ts";
import { policyHead } from "../policy-store.ts";
import type { SiteDatabase } from "../sites/site-database.ts";
import { requireNotFrozen } from "../switches.ts";
import { releaseCounts } from "./release-counts.ts";
import {
  moveRelease,
  noteDecision,
  percent,
  type StoredDecision,
  type StoredRelease,
} from "./release-store.ts";

/** Decides about a release, carries it out, and notes it. @returns what was noted */
export async function decideRelease(
  db: SiteDatabase,
  release: StoredRelease,
  gate: PromotionGate,
  now: number,
): Promise<StoredDecision> {
  const decided = await answer(async () => {
    const decision = await judge(db, release);
    await carryOut(db, release, decision, gate, now);
    return decision;
  });
  const { action, reason } = decided.ok
    ? decided.value
    : { action: "go on" as const, reason: decided.message };
  const noted = { action, reason, at: now };
  await noteDecision(db, release.version, noted);
  return noted;
}

type Judgment = ReleaseDecision | { readonly action: "roll back"; readonly reason: string };

async function judge(db: SiteDatabase, release: StoredRelease): Promise<Judgment> {
  const { stable } = await policyHead(db);
  if (stable === release.stable) {
    return releaseRule(release.plan.rule)(await releaseCounts(db, release));
  }
  const reason = `version ${stable} is stable now, and the release compares with version ${release.stable}`;
  return { action: "roll back", reason };
}

async function carryOut(
  db: SiteDatabase,
  release: StoredRelease,
  decision: Judgment,
  gate: PromotionGate,
  now: number,
): Promise<void> {
  const { version } = release;
  const by = (reason: string): Decision => ({ by: EDGE, reason, now });
  switch (decision.action) {
    case "go on":
      return;
    case "set share": {
      await requireNotFrozen(db);
      const reason = `${percent(decision.share)} of visitors: ${decision.reason}`;
      await db.batch([
        moveRelease(db, release, decision.share),
        auditStatement(db, "set-share", by(reason), version),
      ]);
      return;
    }
    case "promote":
      await promotePolicy(
        db,
        version,
        gate,
        by(`${decision.because}: ${decision.reason}`),
        null,
        true,
      );
      return;
    case "roll back":
      await rollBackPolicy(db, version, by(decision.reason));
  }
}
