/**
 * Simulates an attack: visitors who take tasks and never answer, beside one honest page and a trainer. Time is
 * simulated; tasks, uploads and leases use the real code and a real database.
 */
import { DEFAULT_SITE } from "@waggle/protocol";
import type { AssignmentResponse } from "@waggle/protocol";
import { unwrap } from "../answer.ts";
import { type Asker, type AssignmentOptions, assignTask } from "../assignment-store.ts";
import { coordinatorOf } from "../coordinator.ts";
import { ingest } from "../ingest.ts";
import { bindings, makeUpload, rows } from "./edge.ts";

/** Time that the honest page needs for a task. */
const INTERVAL_MS = 2500;
/** Tasks that an attacker takes in that time unless it is refused. */
const BURST = 5;

/** The limits of `env.production` in `wrangler.jsonc`. */
export const PRODUCTION: AssignmentOptions = {
  environment: "rooms",
  firstSeed: 1,
  groupSize: 8,
  deadlineMs: 90_000,
  maxUnfinishedGroups: 32,
  slotsPerVisitor: 1,
  slotsPerPrefix: 4,
  unansweredPerVisitor: 16,
  unansweredPerPrefix: 128,
};

/** Counts of one simulated attack. */
export type AttackResult = {
  /** Tasks that the honest page answered. */
  answered: number;
  /** Tasks that it would have answered alone in the same time. */
  possible: number;
  /** Tasks that the attackers took. */
  taken: number;
};

/** Leases ready groups and acknowledges them. */
async function learn(now: number): Promise<void> {
  const coordinator = coordinatorOf(bindings, DEFAULT_SITE);
  const request = { trainerId: "test", maxGroups: 32, durationSeconds: 60 };
  const { leaseId, fencingToken, groups } = unwrap(await coordinator.lease(request, now));
  if (leaseId === null) return;
  const outcomes = groups.flatMap(({ rows }) =>
    rows.map(({ digest }) => ({ digest, status: "learned" as const, step: 1 })),
  );
  unwrap(await coordinator.acknowledge(leaseId, { fencingToken, outcomes }, now));
}

/** Runs `attackers` for `durationMs` while an honest page works. */
export async function attack(
  attackers: readonly Asker[],
  honest: Asker,
  options: AssignmentOptions,
  baseModel: string,
  durationMs: number,
): Promise<AttackResult> {
  const startsAt = Date.now();
  const result = { answered: 0, possible: Math.floor(durationMs / INTERVAL_MS), taken: 0 };
  const ask = (asker: Asker, now: number): Promise<AssignmentResponse | null> =>
    assignTask(rows, asker, options, now).catch(() => null);
  let task: AssignmentResponse | null = null;
  for (let elapsed = 0; elapsed <= durationMs; elapsed += INTERVAL_MS) {
    const now = startsAt + elapsed;
    for (const attacker of attackers) {
      for (let i = 0; i < BURST && (await ask(attacker, now)); i += 1) result.taken += 1;
    }
    if (task !== null) {
      const upload = await makeUpload(baseModel, task);
      await ingest(
        { ...bindings, DB: rows },
        honest.visitorId,
        { trajectories: [upload] },
        {
          groupBytes: 0,
          consentDays: 400,
          level: "full",
          now,
        },
      );
      result.answered += 1;
    }
    task = await ask(honest, now);
    await learn(now);
  }
  return result;
}
