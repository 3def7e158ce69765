/** Requests of visitors of a site without an environment, whom only tests can see into. */
import { finalTextOf } from "@waggle/agent";
import { judgedRollout } from "@waggle/agent/environments";
import { environmentNamed } from "@waggle/environments";
import {
  type LeasedGroup,
  type LeasedTrajectory,
  type Sampling,
  trajectoryDigest,
} from "@waggle/protocol";
import type { BaseModel } from "../model/base-model.ts";
import { openPolicy } from "../model/open-model.ts";
import { transcriptOf } from "../rollouts/trajectory-text.ts";

/** The lever that a person wants who names a color. Only the people know it. */
export const WANTED: { readonly [color: string]: string } = {
  red: "left",
  blue: "middle",
  green: "right",
  white: "left",
  black: "middle",
  pink: "right",
};

/** A request and what the base model did. */
export type LiveRequest = {
  readonly leased: LeasedTrajectory;
  /** Calls, results and the answer. */
  readonly said: string;
  /** The lever that its visitor wanted. */
  readonly wanted: string;
  readonly isWanted: boolean;
};

/** What visitors asked from seed `first`, and what the base model did. */
export async function liveRequests(
  model: BaseModel,
  sampling: Omit<Sampling, "seed">,
  count: number,
  first = 0,
): Promise<LiveRequest[]> {
  const bandit = environmentNamed("bandit");
  const policy = await openPolicy(model, 1);
  const parts = { policy, format: model.format, sampling };
  const asked: LiveRequest[] = [];
  for (let seed = first; seed < first + count; seed += 1) {
    const task = bandit.reference(seed, "train", 0);
    const { record } = await judgedRollout(parts, task, seed, new AbortController().signal);
    const visitorId = `00000000-0000-4000-8000-${String(seed).padStart(12, "0")}`;
    const receivedAt = "2026-01-01T00:00:00.000Z";
    // Answers are drawn from the digest, so it must not depend on the time of this run.
    const times = { startedAt: receivedAt, endedAt: receivedAt };
    const trajectory = { ...record, ...times, id: visitorId, task: null, assignmentId: null };
    const digest = await trajectoryDigest(trajectory);
    const [color = ""] = bandit.task(task).request.split(" ");
    const said = transcriptOf(record.turns, finalTextOf(record, model.format) ?? "");
    const wanted = WANTED[color] ?? "nothing";
    const leased = { digest, visitorId, receivedAt, trajectory, feedback: [] };
    asked.push({ leased, said, wanted, isWanted: said.includes(wanted) });
  }
  await policy.dispose();
  return asked;
}

/** The requests as groups with a thumb of their visitors. */
export function withThumbs(
  requests: readonly LiveRequest[],
  isUp: (request: LiveRequest, index: number) => boolean,
): LeasedGroup[] {
  return requests.map((request, index) => groupOf(request, isUp(request, index)));
}

function groupOf({ leased }: LiveRequest, isUp: boolean): LeasedGroup {
  return {
    groupId: leased.visitorId,
    task: null,
    size: 1,
    trajectories: [
      {
        ...leased,
        feedback: [
          {
            id: crypto.randomUUID(),
            trajectoryId: leased.trajectory.id,
            kind: isUp ? "thumb-up" : "thumb-down",
            at: leased.receivedAt,
          },
        ],
      },
    ],
  };
}
