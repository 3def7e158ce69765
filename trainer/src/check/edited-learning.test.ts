/** A tiny decoder imitates the answers that visitors or staff wrote, and not the ones that it gave. */
import { constantRate } from "@waggle/learning";
import type { Feedback, LeasedTrajectory } from "@waggle/protocol";
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

type Given = (leased: LeasedTrajectory) => LeasedTrajectory;

const byVisitor =
  (text: keyof typeof EDITS): Given =>
  (leased) => {
    const { id: trajectoryId } = leased.trajectory;
    const at = leased.receivedAt;
    const edit: Feedback = { id: crypto.randomUUID(), trajectoryId, kind: "edit", text, at };
    return { ...leased, feedback: [edit] };
  };
const byStaff =
  (staffAnswer: keyof typeof EDITS): Given =>
  (leased) => ({ ...leased, staffAnswer });

/** Rise of Σ log π of both answers, in nats, if this is written about every request. */
async function rises(given: Given): Promise<{ wanted: number; unwanted: number }> {
  const engine = await tinyEngine();
  const prompt = requests[0]?.trajectory.segments[0]?.tokenIds ?? [];
  const sums = async (): Promise<number[]> => {
    const sequences = Object.values(EDITS).map((edit) => ({ tokenIds: [...prompt, ...edit] }));
    const { logProb } = await engine.forward({ sequences });
    return logProb.map((row) => row.slice(prompt.length).reduce((a, b) => a + b, 0));
  };
  const before = await sums();
  for (let step = 0; step < requests.length / 8; step += 1) {
    const groups = [];
    for (let i = 8 * step; i < 8 * step + 8; i += 1) {
      const leased = requests[i]!;
      const checked = await check(given(leased));
      if (!checked.holds) throw new Error(checked.reason);
      const record = checked.edited ?? leased.trajectory;
      const trajectory = learnableTrajectory(leased.digest, record, checked.verification);
      groups.push({ task: leased.digest, trajectories: [trajectory] });
    }
    const options = { step, band: 1, microbatchTokens: 4096, shuffleAdvantages: null };
    await learnFrom(engine, recipe, groups, options);
  }
  const after = await sums();
  await engine.dispose();
  const [wanted = Number.NaN, unwanted = Number.NaN] = after.map((sum, b) => sum - before[b]!);
  return { wanted, unwanted };
}

test.each([
  ["visitors", byVisitor],
  ["staff", byStaff],
] as const)(
  "the answer that %s wrote becomes likelier, more than it does if they write another one",
  async (_, given) => {
    const [one, other] = [await rises(given("wanted")), await rises(given("unwanted"))];
    expect(one.wanted).toBeGreaterThan(5);
    expect(other.unwanted).toBeGreaterThan(5);
    expect(one.wanted).toBeGreaterThan(other.wanted + 2);
    expect(other.unwanted).toBeGreaterThan(one.unwanted + 2);
  },
);
