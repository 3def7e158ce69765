/**
 * Pairs of retries in a leased group: an answer after which the visitor clicked "Try again", and the answer that the visitor
 * kept. Both sides are records of their own, and both were sampled. Every record without a pair has a reason.
 */
import { type Feedback, type LeasedTrajectory, SIGNAL_STOPPED } from "@waggle/protocol";
import type { LearnableTrajectory } from "./learnable-group.ts";

/** Reasons of records that make no pair. */
const RETRY_REASONS = {
  /** The other answer is not here, or was refused. */
  missing: "retry-missing",
  /** The visitor did not keep the last answer either. */
  notKept: "retry-not-kept",
  /** The visitor tried again after the next answer, too. The pair is that of the last two. */
  again: "retry-again",
  /** The two requests had other contexts: the conversation had moved on, or the page's tools had changed. */
  otherPrompt: "retry-other-prompt",
  sameAnswer: "retry-same-answer",
  /** A record with branches is several sequences, and a pair has one on each side. */
  branched: "retry-branched",
} as const;

/** A side of a pair with the digest of the other side, or why there is no pair. */
export type RetryRole =
  | { readonly side: "kept" | "rejected"; readonly other: string }
  | { readonly reason: string };

/** What a visitor does who wanted another answer. Thumbs are read apart, because the last one counts. */
const UNWANTED: ReadonlySet<Feedback["kind"]> = new Set<Feedback["kind"]>([
  "retry",
  "undo",
  "edit",
  "next-repeats",
  "next-corrects",
  "next-contradicts",
]);

/**
 * By digest: the roles of the records that a retry links. All feedback is read, also that of stopped signals: what an operator
 * stopped must not make an answer one that the visitor kept.
 *
 * @param isStopped - whether an operator stopped learning from retries.
 */
export function retryRoles(
  leased: readonly LeasedTrajectory[],
  isStopped: boolean,
): ReadonlyMap<string, RetryRole> {
  const byId = new Map(leased.map((one) => [one.trajectory.id, one]));
  const roles = new Map<string, RetryRole>();
  const takenBy = new Map<string, LeasedTrajectory>();
  const retried = leased.filter((one) => retryIdOf(one) !== undefined);
  for (const one of retried) {
    const next = byId.get(retryIdOf(one) ?? "");
    const last = lastAfter(one, byId);
    if (isStopped) {
      for (const { digest } of [one, ...(next === undefined ? [] : [next])]) {
        roles.set(digest, { reason: SIGNAL_STOPPED });
      }
    } else if (next === undefined || last === null) {
      roles.set(one.digest, { reason: RETRY_REASONS.missing });
    } else if (!isKept(last)) {
      roles.set(one.digest, { reason: RETRY_REASONS.notKept });
      roles.set(last.digest, { reason: RETRY_REASONS.notKept });
    } else if (next !== last || takenBy.has(last.digest)) {
      roles.set(one.digest, { reason: RETRY_REASONS.again });
    } else {
      takenBy.set(last.digest, one);
      roles.set(one.digest, { side: "rejected", other: last.digest });
      roles.set(last.digest, { side: "kept", other: one.digest });
    }
  }
  return roles;
}

/** The first retry counts: a page sends one. */
function retryIdOf({ feedback }: LeasedTrajectory): string | undefined {
  return feedback.find(({ retryId }) => retryId !== undefined)?.retryId;
}

/** The last of the answers that each retry led to; `null` if one is not here, or they go round in a circle. */
function lastAfter(
  first: LeasedTrajectory,
  byId: ReadonlyMap<string, LeasedTrajectory>,
): LeasedTrajectory | null {
  const seen = new Set<LeasedTrajectory>();
  let one = first;
  for (let id = retryIdOf(one); id !== undefined; id = retryIdOf(one)) {
    const next = byId.get(id);
    if (next === undefined || next === first || seen.has(next)) return null;
    seen.add(next);
    one = next;
  }
  return one;
}

function isKept({ feedback }: LeasedTrajectory): boolean {
  const thumb = feedback.findLast(({ kind }) => kind.startsWith("thumb-"))?.kind;
  return thumb !== "thumb-down" && !feedback.some(({ kind }) => UNWANTED.has(kind));
}

/**
 * By digest: why records that passed the checks make no pair after all.
 *
 * @param passed - the records of the group that passed the checks.
 */
export function brokenRetries(
  roles: ReadonlyMap<string, RetryRole>,
  passed: readonly LearnableTrajectory[],
): ReadonlyMap<string, string> {
  const byDigest = new Map(passed.map((one) => [one.digest, one]));
  const broken = new Map<string, string>();
  for (const one of passed) {
    const role = roles.get(one.digest);
    if (role === undefined || "reason" in role) continue;
    const other = byDigest.get(role.other);
    const reason = other === undefined ? RETRY_REASONS.missing : unfitReason(one, other);
    if (reason !== null) broken.set(one.digest, reason);
  }
  return broken;
}

/** Why two answers cannot be compared; `null` if they can. DPO compares answers to one prompt. */
function unfitReason(one: LearnableTrajectory, other: LearnableTrajectory): string | null {
  const [first, second] = [splitAtAnswer(one), splitAtAnswer(other)];
  if (first === null || second === null) return RETRY_REASONS.branched;
  if (!areEqual(first.prompt, second.prompt)) return RETRY_REASONS.otherPrompt;
  return areEqual(first.answer, second.answer) ? RETRY_REASONS.sameAnswer : null;
}

/** The tokens before the first sampled one and those from it on, with results of tools; `null` for several sequences. */
function splitAtAnswer({ trajectory: { samples } }: LearnableTrajectory) {
  const [sample, ...more] = samples;
  if (sample === undefined || more.length > 0) return null;
  const { tokenIds } = sample.sequence;
  const start = sample.lossMask.indexOf(true);
  return { prompt: tokenIds.slice(0, start), answer: tokenIds.slice(start) };
}

function areEqual(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((id, i) => id === b[i]);
}
