/** Attacks by records, judged by the trainer's check. */
import { isDeepStrictEqual } from "node:util";
import { type Trajectory, trajectoryDigest } from "@waggle/protocol";
import { type Attack, type AttackResult, MOST_LEARNED } from "./attack.ts";
import { FORGERIES, type Forgery } from "./forged-records.ts";
import type { Judge, VisitorOutcomes } from "./measure.ts";

/** An attack by selection. What stops most of them need not be said. */
type Selection = Pick<Attack, "name" | "does"> & Partial<Pick<Attack, "stoppedBy">>;

const DRAWN =
  "tokens are drawn again from the given seed, and a visitor's records are judged together";

/** Honest records and who judges their forgeries. */
type Judged = {
  /** Records of version 0, as `forgeableRecords` gives them. */
  readonly honest: readonly Trajectory[];
  /** Knows a version 1 besides. */
  readonly judge: Judge;
};

/** Whether every record of a forgery is rejected with its reason, or learned from as the failure that it hides. */
async function runForgery(
  { reason, forge, keepsDigest = false, ...attack }: Forgery,
  { honest, judge }: Judged,
): Promise<AttackResult> {
  const counts = new Map<string, number>();
  let learned = 0;
  for (const record of honest) {
    const digest = keepsDigest ? await trajectoryDigest(record) : undefined;
    const { outcome } = await judge.check(forge(record), digest, record.task);
    const what = outcome.reason ?? outcome.status;
    counts.set(what, (counts.get(what) ?? 0) + 1);
    if (outcome.status === "learned") learned += 1;
  }
  const isStopped = [...counts.keys()].every((what) => reason.test(what));
  const stopped = learned === 0 ? "rejected" : "neutralized";
  return { ...attack, result: isStopped ? stopped : "failed", details: list(counts) };
}

/** All forgeries. */
export async function runForgeries(judged: Judged): Promise<AttackResult[]> {
  const results: AttackResult[] = [];
  for (const forgery of FORGERIES) results.push(await runForgery(forgery, judged));
  return results;
}

/**
 * The result of an attack by selection, from what became of the records of one attacker.
 *
 * @param honest - for each task, the tokens that an honest page samples.
 */
export function selectionResult(
  { name, does, stoppedBy = DRAWN }: Selection,
  { counts, learned, isQuarantined }: VisitorOutcomes,
  honest: ReadonlyMap<string, string>,
): AttackResult {
  const records = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const same = learned.filter((one) => honest.get(JSON.stringify(one.task)) === sampledTokens(one));
  const differing = learned.length - same.length;
  const few = MOST_LEARNED * records;
  // If all records count, and are those of an honest page, then nothing was forged and nothing is missing.
  const isHonest = learned.length === records && differing <= few;
  const isStopped = isHonest || (isQuarantined && learned.length <= few);
  const after = isQuarantined ? "quarantined" : "not quarantined";
  const equal = learned.length === 0 ? "" : `; ${same.length} learned as an honest page sends them`;
  return {
    name,
    does,
    stoppedBy,
    result: isStopped ? (learned.length === 0 ? "rejected" : "neutralized") : "failed",
    details: `${list(counts)}${equal}; then ${after}`,
  };
}

/** The tokens of each honest record by its task, for `selectionResult`. */
export function honestTokens(records: readonly Trajectory[]): ReadonlyMap<string, string> {
  return new Map(records.map((one) => [JSON.stringify(one.task), sampledTokens(one)]));
}

function sampledTokens({ segments }: Trajectory): string {
  return JSON.stringify(
    segments.flatMap(({ kind, tokenIds }) => (kind === "sampled" ? [tokenIds] : [])),
  );
}

/** Attacks on records of a group, and on values that recipes read. */
export async function runOtherRecordAttacks(
  { honest, judge }: Judged,
  strict: Judge,
): Promise<AttackResult[]> {
  const [first] = honest;
  if (first === undefined) throw new Error("there is no honest record");
  const again = { ...first, id: crypto.randomUUID(), startedAt: first.endedAt };
  const copies = await judge.group([first, again]);
  const entropies = await isIgnored(judge, first, (s) => ({ entropies: s.map(() => 50) }));
  const rawLogProbs = await isIgnored(judge, first, (s) => ({ rawLogProbs: s.map(() => -9) }));
  const stale = (await strict.check(first)).outcome.reason ?? "learned";
  return [
    {
      name: "a near copy in a group",
      does: "sends its rollout twice, with another id and other times",
      stoppedBy: "equal segments count once in a group",
      result: copies[1] === "replayed" ? "rejected" : "failed",
      details: copies.join(", "),
    },
    {
      name: "forged entropies",
      does: "records 50 nats for every token, which some recipes weigh tokens by",
      stoppedBy: "recipes get the trainer's own entropies",
      ...entropies,
    },
    {
      name: "forged raw log-probs",
      does: "records -9 nats for every token",
      stoppedBy: "recipes get the trainer's own log-probs",
      ...rawLogProbs,
    },
    {
      name: "a stale version",
      does: "sends a record of a version that is older than the recipe allows",
      stoppedBy: "staleness is counted in the trainer",
      result: stale === "stale" ? "rejected" : "failed",
      details: stale,
    },
  ];
}

/** Whether the trainer learns the same from a record with other values. */
async function isIgnored(
  judge: Judge,
  record: Trajectory,
  forged: (tokenIds: readonly number[]) => object,
): Promise<Pick<AttackResult, "result" | "details">> {
  const segments = record.segments.map((segment) =>
    segment.kind === "given" ? segment : { ...segment, ...forged(segment.tokenIds) },
  );
  const learned = async (one: Trajectory) =>
    (await judge.check(one)).trajectory?.trajectory.samples ?? null;
  const honest = await learned(record);
  const same = honest !== null && isDeepStrictEqual(await learned({ ...record, segments }), honest);
  return same
    ? { result: "neutralized", details: "the trainer learns the same as without it" }
    : { result: "failed", details: "the trainer learns something else" };
}

function list(counts: ReadonlyMap<string, number>): string {
  return [...counts].map(([what, count]) => `${what} ${count}`).join(", ");
}
