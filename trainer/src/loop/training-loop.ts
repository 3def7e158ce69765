/**
 * Training from an edge: lease, judge, learn, commit, acknowledge, publish; forever or until told to stop.
 *
 * Killed at any moment it loses nothing and repeats nothing: what it learned is in the checkpoint before it
 * is acknowledged, an acknowledgement not confirmed is sent again, and a digest in the checkpoint is never
 * learned again. A lease is acknowledged once, whole. Everything before a commit is forgotten by a crash and
 * comes back when the leases expire.
 */
import { WaggleError } from "@waggle/protocol";
import { LeaseCheck } from "../check/lease-check.ts";
import type { Checkpoint } from "../checkpoint/checkpoint-store.ts";
import { HeldCheckpoint } from "../checkpoint/held-checkpoint.ts";
import { EdgeFollower } from "../edge/edge-follower.ts";
import { EdgeSink } from "../sink/edge-sink.ts";
import { edgeLeases } from "../source/edge-leases.ts";
import { edgeUpdate } from "../update/edge-update.ts";
import { train } from "./train.ts";
import type { TrainingOptions, TrainingParts, TrainingSummary } from "./training-parts.ts";

/** Runs from a checkpoint until a limit or the signal; the last checkpoint is always durable. */
export async function runTrainingLoop(
  parts: TrainingParts,
  options: TrainingOptions,
  start: Checkpoint,
  signal: AbortSignal,
): Promise<TrainingSummary> {
  const { leases, store, report } = parts;
  const checkpoint = new HeldCheckpoint(store, start);
  const follower = new EdgeFollower(parts, checkpoint);
  let idleSince = parts.now();
  const idleMs = (): number => parts.now() - idleSince;
  const check = new LeaseCheck(parts, options, checkpoint, follower, idleMs, signal);
  const sink = new EdgeSink(parts, options, checkpoint, follower, check, signal);

  function limitReached(): TrainingSummary["stoppedBy"] | null {
    const { state } = checkpoint;
    if (signal.aborted) return "signal";
    if (follower.hasStableChanged) return "stable-changed";
    if (sink.hasEnvironmentChanged) return "environment-changed";
    if (state.publication !== null || state.acknowledgements.length > 0) return null;
    if (state.publications >= options.maxPublications) return "max-publications";
    if (state.step >= options.maxSteps) return "max-steps";
    return idleMs() >= options.idleExitMs && check.isEmpty ? "idle" : null;
  }

  const stoppedBy = await train(
    {
      source: edgeLeases(parts, checkpoint, follower),
      check,
      update: edgeUpdate(parts, options, checkpoint, () => check.coming, signal),
      sink,
    },
    {
      stop: limitReached,
      moved: async (hadWork) => {
        if (hadWork) idleSince = parts.now();
        else {
          parts.note("waiting", checkpoint.state.step);
          await parts.sleep(options.pollMs, signal);
        }
      },
      recover: async (error) => {
        if (signal.aborted) return;
        if (!WaggleError.is(error) || !error.retryable) throw error;
        report.failure(error);
        await parts.sleep(options.pollMs, signal);
      },
    },
  );
  await leases.releaseAll().catch((error: unknown) => report.failure(error));
  return { stoppedBy, state: checkpoint.state, twice: check.twice };
}
