/**
 * Training from an edge: lease, judge, train, commit, acknowledge, publish, until a limit or a stop.
 *
 * A process killed at any time loses and repeats nothing. A step is in the checkpoint before it is
 * acknowledged, unconfirmed acknowledgements are sent again, and digests in the checkpoint are never
 * trained on again. A lease is acknowledged once, as a whole. Work before a commit is lost in a crash
 * and comes back when its leases expire.
 */
import { WaggleError } from "@waggle/protocol";
import { LeaseCheck, type LeasedBatch } from "./lease-check.ts";
import type { TrainerCheckpoint } from "../checkpoint/trainer-checkpoint.ts";
import { HeldCheckpoint } from "../checkpoint/held-checkpoint.ts";
import { EdgeFollower } from "../edge/edge-follower.ts";
import { EdgeSink } from "./edge-sink.ts";
import { edgeLeases } from "./edge-leases.ts";
import { type EdgeLearned, edgeUpdate } from "./edge-update.ts";
import { rewardLearning } from "./reward-learning.ts";
import { type Check, type Source, train, type Update } from "../training/train.ts";
import type { Turn } from "./fair-turns.ts";
import type { TrainingOptions, TrainingParts, TrainingSummary } from "./training-parts.ts";

/** What a loop learns from, and how. */
type Learning<Item, Batch> = {
  readonly source: Source<Item>;
  readonly check: Check<Item, Batch>;
  readonly update: Update<Batch, EdgeLearned>;
};

/** Runs from a checkpoint until a limit or the signal. The last checkpoint is always durable. */
export async function runTrainingLoop(
  parts: TrainingParts,
  options: TrainingOptions,
  start: TrainerCheckpoint,
  signal: AbortSignal,
): Promise<TrainingSummary> {
  const { leases, store, report } = parts;
  const checkpoint = new HeldCheckpoint(store, start);
  const follower = new EdgeFollower(parts, checkpoint);
  let idleSince = parts.now();
  const idleMs = (): number => parts.now() - idleSince;
  const check = new LeaseCheck(parts, options, checkpoint, follower, idleMs, signal);
  const isFromRewards = parts.recipe.stage.evolution !== null;
  // The next rewards are about the version that the step makes.
  const { watch, publishEvery } = options;
  const publishing = { watch, publishEvery: isFromRewards ? 1 : publishEvery };
  const sink = new EdgeSink(parts, publishing, checkpoint, follower, check, signal);

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

  /** Time spent waiting for a turn is not idle time. */
  const { turn = (work) => work() } = parts;
  const inTurn: Turn = (work) => {
    const asked = parts.now();
    return turn(() => {
      idleSince += parts.now() - asked;
      return work();
    });
  };
  const run = <Item, Batch extends Pick<LeasedBatch, "leases">>({
    source,
    check: collecting,
    update,
  }: Learning<Item, Batch>): Promise<TrainingSummary["stoppedBy"]> =>
    train(
      {
        source: { next: async (wanted) => (sink.isReleasing ? null : source.next(wanted)) },
        check: {
          admit: (item) => inTurn(() => collecting.admit(item)),
          isDue: async () => !sink.isReleasing && (await collecting.isDue()),
          batch: () => collecting.batch(),
          wanted: () => collecting.wanted(),
        },
        update: (batch) => inTurn(() => update(batch)),
        sink: {
          settle: () => inTurn(() => sink.settle()),
          keep: (learned, batch) => sink.keep(learned, batch),
        },
      },
      {
        stop: limitReached,
        moved: async (hadWork) => {
          if (hadWork) idleSince = parts.now();
          else {
            parts.note(sink.isReleasing ? "publishing" : "waiting", checkpoint.state.step);
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
  const stoppedBy = isFromRewards
    ? await run(rewardLearning(parts, options, checkpoint, follower, signal))
    : await run({
        source: edgeLeases(parts, checkpoint, follower),
        check,
        update: edgeUpdate(parts, options, checkpoint, () => check.coming, signal),
      });
  await leases.releaseAll().catch((error: unknown) => report.failure(error));
  return { stoppedBy, state: checkpoint.state, twice: check.twice };
}
