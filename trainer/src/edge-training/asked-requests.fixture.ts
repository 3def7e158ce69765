/** Requests of people on a site without an environment, and their thumbs. Tests only. */
import { finalTextOf } from "@waggle/agent";
import { judgedRollout } from "@waggle/agent/environments";
import { environmentNamed } from "@waggle/environments";
import { FULL_SUPPORT, type LeasedGroup, trajectoryDigest } from "@waggle/protocol";
import type { BaseModel } from "../model/base-model.ts";
import { openPolicy } from "../model/open-model.ts";
import { transcriptOf } from "../rollouts/trajectory-text.ts";

const bandit = environmentNamed("bandit");

/** A request with its answer, and whether the person got what they wanted. */
export type AskedRequest = { readonly group: LeasedGroup; readonly isWanted: boolean };

/** The lever that a person wants who names a color. Only the people know it. */
const WANTED: { readonly [color: string]: string } = {
  red: "left",
  blue: "middle",
  green: "right",
  white: "left",
  black: "middle",
  pink: "right",
};

/** What visitors asked, and what the base model did. */
export async function askedRequests(
  model: BaseModel,
  count: number,
): Promise<readonly AskedRequest[]> {
  const policy = await openPolicy(model, 1);
  const parts = { policy, format: model.format, sampling: FULL_SUPPORT };
  const asked: AskedRequest[] = [];
  for (let seed = 0; seed < count; seed += 1) {
    const task = bandit.reference(seed, "train", 0);
    const { record } = await judgedRollout(parts, task, seed, new AbortController().signal);
    const id = `00000000-0000-4000-8000-${String(seed).padStart(12, "0")}`;
    const receivedAt = "2026-01-01T00:00:00.000Z";
    const trajectory = { ...record, id, task: null, assignmentId: null };
    const digest = await trajectoryDigest(trajectory);
    const leased = { digest, visitorId: id, receivedAt, trajectory, feedback: [] };
    const [color = ""] = bandit.task(task).request.split(" ");
    const said = transcriptOf(record.turns, finalTextOf(record, model.format) ?? "");
    asked.push({
      group: { groupId: id, task: null, size: 1, trajectories: [leased] },
      isWanted: said.includes(WANTED[color] ?? "nothing"),
    });
  }
  await policy.dispose();
  return asked;
}

/** Everybody presses a thumb. */
export function rated(
  requests: readonly AskedRequest[],
  isUp: (wanted: boolean, index: number) => boolean,
): LeasedGroup[] {
  return requests.map(({ group, isWanted }, index) => ({
    ...group,
    trajectories: group.trajectories.map((one) => ({
      ...one,
      feedback: [
        {
          id: crypto.randomUUID(),
          trajectoryId: one.trajectory.id,
          kind: isUp(isWanted, index) ? "thumb-up" : "thumb-down",
          at: one.receivedAt,
        },
      ],
    })),
  }));
}
