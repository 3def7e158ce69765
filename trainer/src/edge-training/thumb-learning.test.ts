/** A training loop that learns from nothing but thumbs on single requests. */
import { constantRate } from "@waggle/learning";
import type { Feedback, LeasedGroup, LeasedTrajectory } from "@waggle/protocol";
import { afterAll, expect, test } from "vitest";
import { createThumbCheck } from "../check/thumb-check.ts";
import { learnableTrajectory } from "../check/learnable-group.ts";
import type { TrajectoryChecker } from "../check/trajectory-check.ts";
import { openTrainerCheckpoints } from "../checkpoint/trainer-checkpoint.ts";
import { edgeRecipeNamed } from "../recipes/edge-recipe.ts";
import { createSetup, live, removeSetups } from "./training-loop.fixture.ts";
import { randomGroups, tinyEngine } from "./training.fixture.ts";

afterAll(removeSetups);

const recipe = edgeRecipeNamed("thumbs-reinforce", {
  groupsPerStep: 8,
  learningRate: constantRate(0.02),
});
const REQUESTS = await randomGroups(160, 1);

/** What people want here: an answer that ends with token 1. About half of them do. */
const isWanted = ({ trajectory }: LeasedTrajectory): boolean =>
  trajectory.segments.at(-1)?.tokenIds.at(-1) === 1;

function withThumbs(
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

/** The verdict is the thumb's; the tokens are random, so log-probs are not compared. */
const checker: TrajectoryChecker = {
  check: async (leased) => {
    const { digest, trajectory } = leased;
    // The random trajectories were sampled without a grammar, so the format is not used.
    const checked = await createThumbCheck(undefined as never, undefined)(leased);
    if (!checked.holds) {
      const { status, reason } = checked;
      return { trajectory: null, outcome: { digest, status, reason } };
    }
    const { reward, success } = checked.verification;
    return {
      trajectory: learnableTrajectory(digest, trajectory, checked.verification),
      outcome: { digest, status: "learned", reward, success },
    };
  },
};

/** Rise of Σ log π of wanted answers minus Σ log π of unwanted ones, in nats per answer. */
async function gain(groups: readonly LeasedGroup[]) {
  const setup = await createSetup(groups);
  const { summary } = await live(setup, { recipe, checker });
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
  return { gain: after - before, steps: summary.state.step, outcomes };
}

test("thumbs alone make liked answers likelier; thumbs at random and absent thumbs do not", async () => {
  const honest = await gain(withThumbs(isWanted));
  expect(honest.steps).toBe(20);
  expect(honest.outcomes.every((outcome) => outcome?.status === "learned")).toBe(true);
  const random = await gain(withThumbs((_, i) => (i * 7919) % 160 < 80));
  expect(honest.gain).toBeGreaterThan(1);
  expect(Math.abs(random.gain)).toBeLessThan(honest.gain / 2);

  const silent = await gain(withThumbs(() => null));
  expect(silent).toMatchObject({ gain: 0, steps: 0 });
  expect(silent.outcomes.every((outcome) => outcome?.reason === "no-thumb")).toBe(true);
});
