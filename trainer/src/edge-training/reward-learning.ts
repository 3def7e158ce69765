/**
 * Source, check and update of a training loop that learns from the rewards of pages. A reward is about one version, and each
 * step starts from the parameters of the stable version. So no reward is learned from twice: the step is computed again after
 * a crash, and a promoted version has rewards of its own. After a version that was not promoted, more rewards are awaited.
 */
import { settingsAt, shuffled } from "@waggle/learning";
import { type PageReward, seededRandom, WaggleError } from "@waggle/protocol";
import type { HeldCheckpoint } from "../checkpoint/held-checkpoint.ts";
import { newPublication } from "../checkpoint/trainer-state.ts";
import type { EdgeFollower } from "../edge/edge-follower.ts";
import { partContext } from "../recipes/part-context.ts";
import { type Check, type Source, unchecked, type Update } from "../training/train.ts";
import { setParameters } from "../update/engine-parameters.ts";
import { ofNewestScale, rewardStep } from "../update/reward-step.ts";
import { stepFailure } from "../update/step-failure.ts";
import type { EdgeLearned } from "./edge-update.ts";
import type { LeasedBatch } from "./lease-check.ts";
import type { TrainingOptions, TrainingParts } from "./training-parts.ts";

/** The rewards of one step. There are no leases to acknowledge. */
type RewardBatch = Pick<LeasedBatch, "leases"> & {
  readonly rewards: readonly PageReward[];
  /** How many more there are whose visitors do not agree any more. */
  readonly withheld: number;
};

type Parts = Pick<
  TrainingParts,
  "edge" | "engine" | "recipe" | "report" | "note" | "now" | "newId"
>;
type Options = Pick<TrainingOptions, "shares" | "shuffleAdvantages">;

type RewardLearning = {
  readonly source: Source<RewardBatch>;
  readonly check: Check<RewardBatch, RewardBatch>;
  readonly update: Update<RewardBatch, EdgeLearned>;
};

/** Rewards that an edge lists; see `RewardsResponse`. */
const MOST_LISTED = 4096;

const UNMEASURED = { drift: { stable: null, base: null }, excess: null };

export function rewardLearning(
  parts: Parts,
  options: Options,
  checkpoint: HeldCheckpoint,
  follower: Pick<EdgeFollower, "hasStableChanged">,
  signal: AbortSignal,
): RewardLearning {
  const { edge, engine, recipe, report, note, now, newId } = parts;
  const { stage } = recipe;
  const { evolution } = stage;
  const { noise } = stage.rollout.strategy(partContext(stage, 0));
  const perStep = (noise?.perturbations ?? 2) * stage.settings.tasksPerStep;
  if (perStep > MOST_LISTED) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `a step of ${recipe.name} takes ${perStep} rewards, and an edge lists ${MOST_LISTED}; set fewer perturbations or tasks`,
    );
  }
  /** The version whose rewards were last learned from, and their assignments. None: its adapter was published. */
  let tried = { version: -1, assignments: new Set<string>() };
  let failedSteps = 0;

  const next = async (): Promise<RewardBatch | null> => {
    const { state } = checkpoint;
    const { stableVersion: version } = state;
    if (follower.hasStableChanged) return null;
    const isTried = tried.version === version;
    // An edge that does not collect rewards refuses this, and nothing is published.
    const { rewards: listed, withheld = 0 } = await edge.rewards(version);
    const rewards = ofNewestScale(listed);
    const stable = state.versions.find((known) => known.version === version);
    // Pages perturb an adapter, so a site begins by publishing one that changes nothing.
    if (stable?.adapter == null) {
      if (isTried) return null;
      tried = { version, assignments: new Set() };
      const publication = newPublication(newId(), version, state.step);
      await checkpoint.commitState({ ...state, publication });
      return null;
    }
    const ids = rewards.map(({ assignmentId }) => assignmentId);
    // Counted by id, because the edge lists only the newest ones and deletes those of forgotten visitors.
    const fresh = isTried ? ids.filter((id) => !tried.assignments.has(id)) : ids;
    if (fresh.length < perStep) return null;
    tried = { version, assignments: new Set(ids) };
    return { rewards, withheld, leases: [] };
  };

  const update = async ({ rewards, withheld }: RewardBatch): Promise<EdgeLearned> => {
    const startedAt = now();
    const { state, newest } = checkpoint;
    note("learning", state.step);
    await engine.load(newest.stable);
    try {
      if (evolution === null) throw new Error(`recipe ${recipe.name} is not an evolution strategy`);
      const random = seededRandom(state.seed, state.step);
      const { learningRate } = settingsAt(stage, partContext(stage, state.step));
      const before = await engine.parameters();
      const step = rewardStep(before, rewards, evolution, {
        learningRate,
        shares: options.shares,
        shuffle: options.shuffleAdvantages ? (weights) => shuffled(weights, random) : null,
      });
      failedSteps = 0;
      if (step.hasFewSenders) {
        report.note("few-senders", { step: state.step });
        return { result: "few-senders", ...UNMEASURED, startedAt };
      }
      if (step.parameters.size > 0) {
        await setParameters(engine, new Map([...before, ...step.parameters]));
      }
      const { size: trajectories } = step.weights;
      const weight = [...step.weights.values()].reduce((sum, one) => sum + Math.abs(one), 0);
      const learnedFrom = {
        recipe: recipe.name,
        steps: 1,
        trajectories,
        signals: [{ signal: "verifier" as const, trajectories, weight }],
        consents: [],
      };
      return {
        result: {
          advantages: step.weights,
          reasons: new Map(),
          learnedFrom: trajectories === 0 ? null : learnedFrom,
          state: {},
          metrics: { ...step.metrics, rewardsWithheld: withheld },
        },
        ...UNMEASURED,
        startedAt,
      };
    } catch (error) {
      await engine.load(newest.stable);
      const failure = stepFailure(error, signal, failedSteps);
      failedSteps += 1;
      report.note(failure, { step: state.step, cause: String(error) });
      return { result: failure, ...UNMEASURED, startedAt };
    }
  };
  return { source: { next }, check: unchecked(), update };
}
