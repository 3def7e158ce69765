/** A tiny decoder prefers the answers that visitors or staff wrote to those that it gave. */
import { constantRate } from "@waggle/learning";
import type { Feedback, LeasedTrajectory } from "@waggle/protocol";
import { seededRandom } from "@waggle/protocol";
import type { ChatFormat } from "@waggle/text";
import { expect, test } from "vitest";
import { learnablePair, WRITTEN } from "../edge-training/feedback-checker.fixture.ts";
import { learnFrom, randomGroups, tinyEngine } from "../edge-training/training.fixture.ts";
import { edgeRecipeNamed } from "../recipes/edge-recipe.ts";
import { createFeedbackCheck } from "./feedback-check.ts";
import type { LearnableTrajectory } from "./learnable-group.ts";

const format = { encodeAssistant: () => WRITTEN } as unknown as ChatFormat;
const recipe = edgeRecipeNamed("corrections-dpo", {
  groupsPerStep: 8,
  learningRate: constantRate(0.02),
});
const check = createFeedbackCheck(recipe.feedback ?? {}, format, undefined);
const requests = (await randomGroups(80, 1)).flatMap(({ trajectories }) => trajectories);
const given = ({ trajectory }: LeasedTrajectory): readonly number[] =>
  trajectory.segments.at(-1)?.tokenIds ?? [];

const byVisitor = (leased: LeasedTrajectory): LeasedTrajectory => {
  const { id: trajectoryId } = leased.trajectory;
  const at = leased.receivedAt;
  const edit: Feedback = { id: crypto.randomUUID(), trajectoryId, kind: "edit", text: "x", at };
  return { ...leased, feedback: [edit] };
};
const byStaff = (leased: LeasedTrajectory): LeasedTrajectory => ({ ...leased, staffAnswer: "x" });

async function pairOf(leased: LeasedTrajectory): Promise<readonly LearnableTrajectory[]> {
  const checked = await check(leased);
  if (!checked.holds || checked.edited === undefined) throw new Error("no edit");
  return learnablePair(leased.digest, checked.edited, leased.trajectory, checked.verification);
}

/** Mean rises of Σ log π of the wanted and of the given answers, in nats, and of their difference. */
async function rises(
  write: typeof byStaff,
  isShuffled: boolean,
): Promise<{ wanted: number; given: number; margin: number }> {
  const [engine, base] = [await tinyEngine(), await tinyEngine()];
  const sums = async (answerOf: (leased: LeasedTrajectory) => readonly number[]) => {
    const sequences = requests.map((leased) => ({
      tokenIds: [...(leased.trajectory.segments[0]?.tokenIds ?? []), ...answerOf(leased)],
    }));
    const { logProb } = await engine.forward({ sequences });
    const all = logProb.flatMap((row) => Array.from(row.slice(5)));
    return all.reduce((a, b) => a + b, 0) / requests.length;
  };
  const both = async () => [await sums(() => WRITTEN), await sums(given)] as const;
  const before = await both();
  for (let step = 0; step < requests.length / 8; step += 1) {
    const groups = [];
    for (const leased of requests.slice(8 * step, 8 * step + 8)) {
      groups.push({ task: leased.digest, trajectories: await pairOf(write(leased)) });
    }
    const { advantages, metrics } = await learnFrom(engine, recipe, groups, {
      step,
      band: 1,
      microbatchTokens: 4096,
      shuffleAdvantages: isShuffled ? seededRandom(5, step) : null,
      reference: async (sequences) => [...(await base.forward({ sequences })).logProb],
    });
    expect([...advantages.values()]).toEqual(groups.map(() => null));
    expect(metrics["groups"]).toBe(8);
  }
  const after = await both();
  await engine.dispose();
  await base.dispose();
  const [wanted, other] = [after[0] - before[0], after[1] - before[1]];
  return { wanted, given: other, margin: wanted - other };
}

test.each([
  ["visitors", byVisitor],
  ["staff", byStaff],
] as const)(
  "answers that %s wrote become likelier than those that the policy gave; with shuffled sides they do not",
  async (_, write) => {
    const honest = await rises(write, false);
    const shuffled = await rises(write, true);
    expect(honest.wanted).toBeGreaterThan(5);
    expect(honest.margin).toBeGreaterThan(5);
    expect(Math.abs(shuffled.margin)).toBeLessThan(honest.margin / 3);
  },
);
