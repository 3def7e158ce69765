/** The drift limit lets a trainer imitate what people wrote, and is measured on what the policy said itself. */
import { constantRate } from "@waggle/learning";
import type { TrainEngine, Trajectory, Verification } from "@waggle/protocol";
import { toTrainingSamples } from "@waggle/protocol";
import { afterAll, expect, test } from "vitest";
import { rejection, withEditedAnswer } from "../check/edited-answer.ts";
import { learnableTrajectory } from "../check/learnable-group.ts";
import type { TrajectoryChecker } from "../check/trajectory-check.ts";
import { edgeRecipeNamed } from "../recipes/edge-recipe.ts";
import { WRITTEN } from "./feedback-checker.fixture.ts";
import { randomGroups, tinyEngine } from "./training.fixture.ts";
import { createSetup, live, removeSetups } from "./training-loop.fixture.ts";

afterAll(removeSetups);

const VERDICT: Verification = {
  reward: 1,
  success: true,
  parts: { staff: "It is 3." },
  signals: { staff: 1 },
};

async function learnableOf(
  engine: TrainEngine,
  digest: string,
  record: Trajectory,
  verdict: Verification,
) {
  const sequences = toTrainingSamples(record).map(({ sequence }) => sequence);
  const { logProb } = await engine.forward({ sequences });
  return learnableTrajectory(
    digest,
    record,
    verdict,
    0,
    logProb.map((row) => [...row]),
  );
}

/** @param measures - whether the given answer is beside the written one, as the trainer's own check has it. */
function imitationChecker(engine: TrainEngine, measures: boolean): TrajectoryChecker {
  return {
    check: async ({ digest, trajectory, visitorId }) => {
      const edited = withEditedAnswer(trajectory, "", { encodeAssistant: () => [...WRITTEN] });
      if (edited === null) throw new Error("the last turn is no plain answer");
      const written = await learnableOf(engine, digest, edited, VERDICT);
      const given = await learnableOf(engine, digest, trajectory, rejection(VERDICT));
      return {
        trajectory: { ...written, visitorId, ...(measures && { given }) },
        outcome: { digest, status: "learned", reward: 0, success: false },
      };
    },
  };
}

test("a step that imitates is not undone for what it is to learn, and its drift has a limit", async () => {
  const recipe = edgeRecipeNamed("corrections-imitate", {
    groupsPerStep: 4,
    learningRate: constantRate(0.02),
  });
  const groups = await randomGroups(8, 1);
  const untrained = await tinyEngine();
  /** Drift of each learned step. @param drift - the limit */
  const driftsOf = async (measures: boolean, drift: number) => {
    const setup = await createSetup(groups);
    await live(setup, {
      recipe,
      checker: imitationChecker(untrained, measures),
      watch: { drift },
    });
    const rows = [...setup.edge.metrics.values()];
    return rows.map(({ metrics }) => metrics["stableDriftKl"] ?? Number.NaN);
  };
  const given = await driftsOf(true, 1e9);
  const written = await driftsOf(false, 1e9);
  expect([given.length, written.length]).toEqual([2, 2]);
  const [most, least] = [Math.max(...given), Math.min(...written)];
  expect(Math.min(...given)).toBeGreaterThan(0);
  expect(least).toBeGreaterThan(3 * most);
  const between = (most + least) / 2;
  expect(await driftsOf(true, between)).toEqual(given);
  // The control: measured on what was written, nothing is learned.
  expect(await driftsOf(false, between)).toEqual([]);
  // A policy that moves away from its own answers is still held.
  expect(await driftsOf(true, 1e-9)).toEqual([]);
  await untrained.dispose();
});
