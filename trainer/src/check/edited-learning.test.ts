/** A tiny decoder imitates the answers that visitors wrote, and not the ones that it gave. */
import { constantRate } from "@waggle/learning";
import type { Feedback } from "@waggle/protocol";
import type { ChatFormat } from "@waggle/text";
import { expect, test } from "vitest";
import { learnFrom, randomGroups, tinyEngine } from "../edge-training/training.fixture.ts";
import { edgeRecipeNamed } from "../recipes/edge-recipe.ts";
import { createFeedbackCheck } from "./feedback-check.ts";
import { learnableTrajectory } from "./learnable-group.ts";

const EDITS = { wanted: [4, 8, 15, 1], unwanted: [21, 19, 27, 2] };
const format = {
  encodeAssistant: (text: string) => EDITS[text === "wanted" ? "wanted" : "unwanted"],
} as unknown as ChatFormat;
const recipe = edgeRecipeNamed("corrections-imitate", {
  groupsPerStep: 8,
  learningRate: constantRate(0.02),
});
const check = createFeedbackCheck(recipe.feedback ?? {}, format, undefined);
const requests = (await randomGroups(80, 1)).flatMap(({ trajectories }) => trajectories);

/** Rise of Σ log π of the wanted answer minus that of the unwanted one, in nats. */
async function gain(isWanted: (index: number) => boolean): Promise<number> {
  const engine = await tinyEngine();
  const prompt = requests[0]?.trajectory.segments[0]?.tokenIds ?? [];
  const margin = async (): Promise<number> => {
    const sequences = Object.values(EDITS).map((edit) => ({ tokenIds: [...prompt, ...edit] }));
    const { logProb } = await engine.forward({ sequences });
    const [wanted = Number.NaN, unwanted = Number.NaN] = logProb.map((row) =>
      row.slice(prompt.length).reduce((a, b) => a + b, 0),
    );
    return wanted - unwanted;
  };
  const before = await margin();
  for (let step = 0; step < requests.length / 8; step += 1) {
    const groups = [];
    for (let i = 8 * step; i < 8 * step + 8; i += 1) {
      const leased = requests[i]!;
      const { id: trajectoryId } = leased.trajectory;
      const [text, at] = [isWanted(i) ? "wanted" : "unwanted", leased.receivedAt];
      const edit: Feedback = { id: crypto.randomUUID(), trajectoryId, kind: "edit", text, at };
      const checked = await check({ ...leased, feedback: [edit] });
      if (!checked.holds) throw new Error(checked.reason);
      const record = checked.edited ?? leased.trajectory;
      const trajectory = learnableTrajectory(leased.digest, record, checked.verification);
      groups.push({ task: leased.digest, trajectories: [trajectory] });
    }
    const options = { step, band: 1, microbatchTokens: 4096, shuffleAdvantages: null };
    await learnFrom(engine, recipe, groups, options);
  }
  const after = await margin();
  await engine.dispose();
  return after - before;
}

test("edited answers are imitated; of two that are edited in equally often, none wins", async () => {
  const honest = await gain(() => true);
  expect(honest).toBeGreaterThan(5);
  expect(Math.abs(await gain((i) => i % 2 === 0))).toBeLessThan(honest / 2);
});
