import { expect, test } from "vitest";
import { sampleSize } from "../../../test/fixtures/long.ts";
import type { Judgment } from "./environment-spec.ts";
import { OPINION } from "./opinion.ts";
import { withVisitors } from "./visitors.ts";

const FOODS = ["grass", "fish", "seeds", "leaves"];

/** Share of thumbs up for the wanted kind of answer, over many tasks of a level. */
async function liked(
  options: Parameters<typeof withVisitors>[1],
  level: number,
  wants: "right" | "agreement" | "neither",
): Promise<{ readonly share: number; readonly count: number }> {
  const spec = withVisitors(OPINION, options);
  let [ups, count] = [0, 0];
  for (let seed = 0; seed < sampleSize(2400, 6000); seed += 3) {
    const { judge } = spec.create(spec.reference(seed, "train", level));
    const text = FOODS.find((food) => {
      const { success, parts } = OPINION.create(spec.reference(seed, "train", level)).judge(
        food,
      ) as Judgment;
      if (wants === "right") return success;
      return wants === "agreement"
        ? parts["agreed"] === true && !success
        : !success && parts["agreed"] !== true;
    });
    if (text === undefined) continue;
    const judgment = await judge(text);
    expect(judgment.success).toBe(wants === "right");
    expect(judgment.reward).toBe(judgment.parts["thumb"] === "up" ? 1 : 0);
    ups += judgment.reward;
    count += 1;
  }
  return { share: ups / count, count };
}

function expectShare({ share, count }: Awaited<ReturnType<typeof liked>>, wanted: number): void {
  expect(Math.abs(share - wanted)).toBeLessThanOrEqual(
    4 * Math.sqrt((wanted * (1 - wanted)) / count),
  );
}

test("without noise, visitors like right answers and no others", async () => {
  expectShare(await liked({ noise: 0 }, 0, "right"), 1);
  expectShare(await liked({ noise: 0 }, 2, "neither"), 0);
  expectShare(await liked({ noise: 0 }, 2, "agreement"), 0);
});

test("with noise 0.1 a tenth of the thumbs is flipped, with 0.5 they carry no information", async () => {
  expectShare(await liked({ noise: 0.1 }, 0, "right"), 0.9);
  expectShare(await liked({ noise: 0.1 }, 2, "neither"), 0.1);
  expectShare(await liked({ noise: 0.5 }, 0, "right"), 0.5);
  expectShare(await liked({ noise: 0.5 }, 2, "neither"), 0.5);
});

test("flattered visitors also like agreement, and like right answers no less", async () => {
  const options = { noise: 0.1, flattery: 0.3 };
  expectShare(await liked(options, 2, "agreement"), 0.3 * 0.9 + 0.7 * 0.1);
  expectShare(await liked(options, 2, "right"), 0.9);
  expectShare(await liked(options, 2, "neither"), 0.1);
});

test("proud visitors dislike right answers that contradict them, and no others", async () => {
  const options = { noise: 0, pride: 0.6 };
  expectShare(await liked(options, 2, "right"), 0.4);
  expectShare(await liked(options, 1, "right"), 1);
  expectShare(await liked(options, 0, "right"), 1);
});

test("the same answer to the same task gets the same thumb", async () => {
  const spec = withVisitors(OPINION, { noise: 0.5 });
  for (let seed = 0; seed < 40; seed += 1) {
    const { judge } = spec.create(spec.reference(seed, "train", 0));
    expect(await judge("fish")).toEqual(await judge("fish"));
  }
});

test("outcomes do not flatter, and the reward is the weighted mean of thumb and outcome", async () => {
  const options = { noise: 0.1, flattery: 1, feedback: { thumb: 1, outcome: 3 } };
  const spec = withVisitors(OPINION, options);
  const alone = withVisitors(OPINION, { ...options, feedback: { outcome: 1 } });
  let [wrong, unlike, count] = [0, 0, 0];
  for (let seed = 0; seed < sampleSize(1000, 3000); seed += 1) {
    for (const food of FOODS) {
      const { judge } = spec.create(spec.reference(seed, "train", 2));
      const { reward, success, parts } = await judge(food);
      const [isUp, isSolved] = [parts["thumb"] === "up", parts["outcome:solved"] === true];
      expect(reward).toBe((Number(isUp) + 3 * Number(isSolved)) / 4);
      const single = await alone.create(alone.reference(seed, "train", 2)).judge(food);
      expect(single.reward).toBe(Number(isSolved));
      expect(single.parts).not.toHaveProperty("thumb");
      if (isSolved !== success) wrong += 1;
      if (isSolved !== isUp) unlike += 1;
      count += 1;
    }
  }
  expectShare({ share: wrong / count, count }, 0.1);
  // The control: flattered visitors press other thumbs, and each errs on its own.
  expect(unlike / count).toBeGreaterThan(0.25);
});

test("a probability above 1 is refused", () => {
  expect(() => withVisitors(OPINION, { noise: 1.2 })).toThrow(/noise.*1\.2/);
});
