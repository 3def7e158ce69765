/**
 * Rewards that pages computed for perturbed policies. A reward belongs to the assignment of its perturbation, so it comes
 * from the visitor who got the task, once. The edge cannot check it; the trainer bounds the share of each sender.
 */
import {
  Perturbation,
  type RewardRequest,
  type RewardsResponse,
  WaggleError,
} from "@waggle/protocol";
import { forgottenName, rememberRewards } from "../forgotten-store.ts";
import { findPolicy, policyHead } from "../policy-store.ts";
import type { Settings } from "../settings.ts";
import type { SiteDatabase } from "../sites/site-database.ts";
import { assignmentMismatch } from "../upload-check.ts";
import { type ConsentTime, consentTimes, endedTraining } from "../visitors/ended-consent.ts";

/** Rewards in one answer. */
const LISTED_REWARDS = 4096;
/** Assignments that are deleted in one call. */
const BATCH = 200;

/**
 * What a page of this version perturbs: the stable version, if it has an adapter. `null` if there is no task for the page;
 * `undefined` if the site's pages perturb nothing.
 */
export async function perturbedIn(
  db: SiteDatabase,
  { COLLECT, PERTURBATION_SCALE: scale }: Pick<Settings, "COLLECT" | "PERTURBATION_SCALE">,
  policyVersion: number | null,
): Promise<Pick<Perturbation, "policyVersion" | "scale"> | null | undefined> {
  if (COLLECT !== "rewards") return undefined;
  const { stable } = await policyHead(db);
  if (policyVersion !== stable || (await findPolicy(db, stable)).adapter === null) return null;
  return { policyVersion, scale };
}

/**
 * Stores the reward of an assignment. Repeating it with the same reward succeeds.
 * @param network - see `networkName`
 * @throws WaggleError `ASSIGNMENT_MISMATCH` if this visitor has no such perturbation, `REPLAYED` for a second reward
 */
export async function storeReward(
  db: SiteDatabase,
  visitorId: string,
  { assignmentId, reward }: RewardRequest,
  network: string | null,
  now: number,
): Promise<void> {
  const [answered] = await db.batch([
    db
      .prepare(
        `UPDATE assignments SET reward = ?3, rewardedAt = ?4, network = ?5, state = 'answered'
         WHERE +site = ?site AND id = ?1 AND visitorId = ?2 AND perturbation IS NOT NULL AND reward IS NULL
         RETURNING 1`,
      )
      .bind(assignmentId, visitorId, reward, now, network),
    // No trajectory will come, so a group whose slots are answered is finished.
    db
      .prepare(
        `UPDATE taskGroups SET state = 'done'
         WHERE +site = ?site AND state = 'open' AND assigned >= capacity
           AND id = (SELECT groupId FROM assignments WHERE +site = ?site AND id = ?1 AND reward IS NOT NULL)
           AND NOT EXISTS (SELECT 1 FROM assignments a
                           WHERE a.site = ?site AND a.groupId = taskGroups.id AND a.state = 'open')`,
      )
      .bind(assignmentId),
  ]);
  if (answered?.results.length === 1) return;
  const known = await db
    .prepare(
      "SELECT reward FROM assignments WHERE +site = ?site AND id = ?1 AND visitorId = ?2 AND reward IS NOT NULL",
    )
    .bind(assignmentId, visitorId)
    .first<{ reward: number }>();
  if (known === null) throw assignmentMismatch();
  if (known.reward === reward) return;
  throw new WaggleError("REPLAYED", "this task already has another reward; ask for a new task");
}

/** The newest rewards of a version, oldest first, without those of visitors who do not agree to training any more. */
export async function rewardsOf(
  db: SiteDatabase,
  version: number,
  time: ConsentTime,
): Promise<RewardsResponse> {
  const { results } = await db
    .prepare(
      `WITH newest AS MATERIALIZED
         (SELECT id, visitorId, network, perturbation, reward, rewardedAt FROM assignments
          WHERE site = ?site AND perturbedVersion = ?1 AND rewardedAt IS NOT NULL
          ORDER BY rewardedAt DESC, id DESC LIMIT ${LISTED_REWARDS}),
       ended AS MATERIALIZED
         (SELECT v.visitorId FROM (SELECT DISTINCT visitorId FROM newest) AS v
          WHERE ${endedTraining("v.visitorId", "?2")})
       SELECT id, visitorId, network, perturbation, reward, visitorId IN (SELECT visitorId FROM ended) AS isEnded
       FROM newest ORDER BY rewardedAt DESC, id DESC`,
    )
    .bind(version, consentTimes(time))
    .all<{
      id: string;
      visitorId: string;
      network: string | null;
      perturbation: string;
      reward: number;
      isEnded: 0 | 1;
    }>();
  const held = results.filter(({ isEnded }) => isEnded === 0);
  return {
    withheld: results.length - held.length,
    rewards: held.toReversed().map(({ id, visitorId, network, perturbation, reward }) => ({
      assignmentId: id,
      visitorId,
      ...(network !== null && { network }),
      perturbation: Perturbation.parse(JSON.parse(perturbation)),
      reward,
    })),
  };
}

/**
 * Deletes the oldest rewards that were received before `before`, with their assignments.
 * @returns how many visitors they were of; repeat while it is not 0
 */
export async function deleteExpiredRewards(db: SiteDatabase, before: number): Promise<number> {
  const { results } = await db
    .prepare(
      `SELECT DISTINCT visitorId FROM
         (SELECT visitorId FROM assignments WHERE site = ?site AND rewardedAt < ?1
          ORDER BY rewardedAt LIMIT ${BATCH})`,
    )
    .bind(before)
    .all<{ visitorId: string }>();
  for (const { visitorId } of results) {
    await db.batch([
      rememberRewards(db, visitorId, await forgottenName(visitorId), before),
      db
        .prepare(
          "DELETE FROM assignments WHERE visitorId = ?1 AND site = ?site AND rewardedAt < ?2",
        )
        .bind(visitorId, before),
    ]);
  }
  return results.length;
}

/** When the oldest reward was received; `null` if there is none. */
export async function oldestRewardAt(db: SiteDatabase): Promise<number | null> {
  return db
    .prepare(
      "SELECT rewardedAt FROM assignments WHERE site = ?site AND rewardedAt IS NOT NULL ORDER BY rewardedAt LIMIT 1",
    )
    .bind()
    .first<number>("rewardedAt");
}
