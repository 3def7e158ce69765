/** How much a training loop learns from feedback on single requests. */
import { constantRate } from "@waggle/learning";
import type { Feedback, LeasedGroup, LeasedTrajectory, TrajectoryOutcome } from "@waggle/protocol";
import { openTrainerCheckpoints } from "../checkpoint/trainer-checkpoint.ts";
import { type EdgeRecipe, edgeRecipeNamed } from "../recipes/edge-recipe.ts";
import { feedbackChecker } from "./feedback-checker.fixture.ts";
import { createSetup, live, type RunOptions } from "./training-loop.fixture.ts";
import type { FrozenScorer } from "../update/recipe-models.ts";
import { randomGroups, tinyEngine } from "./training.fixture.ts";

const recipeOf = (name: string): EdgeRecipe =>
  edgeRecipeNamed(name, { groupsPerStep: 8, learningRate: constantRate(0.02) });
export const REQUESTS: readonly LeasedGroup[] = await randomGroups(160, 1);

/** What people want here: an answer that ends with token 1. About half of them do. */
export const isWanted = ({ trajectory }: LeasedTrajectory): boolean =>
  trajectory.segments.at(-1)?.tokenIds.at(-1) === 1;

export function withThumbs(
  likes: (request: LeasedTrajectory, index: number) => boolean | null,
): LeasedGroup[] {
  return REQUESTS.map((group, i) => ({
    ...group,
    trajectories: group.trajectories.map((request) => {
      const isLiked = likes(request, i);
      const kind: Feedback["kind"] = isLiked ? "thumb-up" : "thumb-down";
      const { id: trajectoryId } = request.trajectory;
      const thumb = { id: crypto.randomUUID(), trajectoryId, kind, at: request.receivedAt };
      return { ...request, feedback: isLiked === null ? [] : [thumb] };
    }),
  }));
}

/** Rise of Σ log π of wanted answers minus Σ log π of unwanted ones, in nats per answer. */
export async function gain(
  name: string,
  groups: readonly LeasedGroup[],
  options: Pick<RunOptions, "shares" | "shuffleAdvantages"> = {},
): Promise<{
  readonly gain: number;
  readonly steps: number;
  readonly publications: number;
  readonly outcomes: readonly (TrajectoryOutcome | undefined)[];
}> {
  const setup = await createSetup(groups);
  const recipe = recipeOf(name);
  const untrained = await tinyEngine();
  const base: FrozenScorer = async (sequences) => {
    const { logProb } = await untrained.forward({ sequences });
    return [...logProb];
  };
  const checker = feedbackChecker(recipe);
  const { summary } = await live(setup, { ...options, recipe, checker, base });
  await untrained.dispose();
  const requests = REQUESTS.flatMap(({ trajectories }) => trajectories);
  const sequences = requests.map(({ trajectory }) => ({
    tokenIds: trajectory.segments.flatMap(({ tokenIds }) => tokenIds),
  }));
  const engine = await tinyEngine();
  const margin = async (): Promise<number> => {
    const { logProb } = await engine.forward({ sequences });
    const signed = logProb.map((row, i) => {
      const answer = row.slice(5).reduce((a, b) => a + b, 0);
      return isWanted(requests[i] as LeasedTrajectory) ? answer : -answer;
    });
    return signed.reduce((a, b) => a + b, 0) / signed.length;
  };
  const before = await margin();
  const checkpoint = await openTrainerCheckpoints(setup.folder).load();
  if (checkpoint !== null) await engine.load(checkpoint.engine);
  const after = await margin();
  await engine.dispose();
  const outcomes = [...setup.edge.acknowledged.values()].map(([outcome]) => outcome);
  const { step: steps, publications } = summary.state;
  return { gain: after - before, steps, publications, outcomes };
}
