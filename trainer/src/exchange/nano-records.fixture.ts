/** Trajectories of the nano model on training tasks, as the edge returns them to its operator. */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { judgedRollout } from "@waggle/agent/environments";
import type { TextReader } from "@waggle/exchange";
import { SHOP } from "@waggle/demo/environment";
import { FULL_SUPPORT, type TrajectoryDetail, trajectoryDigest } from "@waggle/protocol";
import { type BaseModel, readBaseModel } from "../model/base-model.ts";
import { openPolicy } from "../model/open-model.ts";

export const NANO: string = join(import.meta.dirname, "../../../packages/model/nano");

export const describeTask: TextReader["describeTask"] = (task) =>
  SHOP.create(task).environment.observe();

/** `count` groups of `size` judged rollouts; fixed seeds give fixed tokens. */
export async function nanoRecords(
  count: number,
  size: number,
): Promise<{ readonly model: BaseModel; readonly records: TrajectoryDetail[] }> {
  const model = await readBaseModel(NANO);
  const policy = await openPolicy(model, 1);
  // Free, because other trainers compute losses of the full distribution.
  const parts = {
    policy,
    format: model.format,
    sampling: FULL_SUPPORT,
    constrainToolCalls: false,
    environments: [SHOP],
  };
  const { signal } = new AbortController();
  const records: TrajectoryDetail[] = [];
  for (let seed = 0; seed < count; seed += 1) {
    const task = { environment: "shop", seed, split: "train" } as const;
    const groupId = randomUUID();
    for (let i = 0; i < size; i += 1) {
      const { record: trajectory, verification } = await judgedRollout(
        parts,
        task,
        100 * seed + i,
        signal,
      );
      records.push({
        trajectory,
        feedback: [],
        row: {
          digest: await trajectoryDigest(trajectory),
          id: trajectory.id,
          visitorId: randomUUID(),
          groupId,
          receivedAt: "2026-11-20T10:00:00.000Z",
          status: "learned",
          reason: null,
          policyVersion: 0,
          task,
          tokens: 0,
          stopReason: trajectory.stopReason,
          reward: verification.reward,
          success: verification.success,
          advantage: null,
          learnedAtStep: null,
          staleness: 0,
          logProbGapMean: 0,
          logProbGapMax: 0,
        },
      });
    }
  }
  await policy.dispose();
  return { model, records };
}
