import { expect, test } from "vitest";
import { OPINION } from "./opinion.ts";
import { withVisitors } from "./visitors.ts";

const FOODS = ["grass", "fish", "seeds", "leaves"];

/** Share of thumbs up for the wanted kind of answer, over many tasks of a level. */
function liked(
  options: Parameters<typeof withVisitors>[1],
  level: number,
  wants: "right" | "agreement" | "neither",
): { readonly share: number; readonly count: number } {
  const spec = withVisitors(OPINION, options);
  let [ups, count] = [0, 0];
  for (let seed = 0; seed < 6000; seed += 3) {
    const { judge } = spec.create(spec.reference(seed, "train", level));
    const text = FOODS.find((food) => {
      const { success, parts } = OPINION.create(spec.reference(seed, "train", level)).judge(food);
      if (wants === "right") return success;
      return wants === "agreement"
        ? parts["agreed"] === true && !success
        : !success && parts["agreed"] !== true;
    });
    if (text === undefined) continue;
    const judgement = judge(text);
    expect(judgement.success).toBe(wants === "right");
    expect(judgement.reward).toBe(judgement.parts["thumb"] === "up" ? 1 : 0);
    ups += judgement.reward;
    count += 1;
  }
  return { share: ups / count, count };
}

function expectShare({ share, count }: ReturnType<typeof liked>, wanted: number): void {
  expect(Math.abs(share - wanted)).toBeLessThanOrEqual(
    4 * Math.sqrt((wanted * (1 - wanted)) / count),
  );
}

test("without noise, visitors like right answers and no others", () => {
  expectShare(liked({ noise: 0 }, 0, "right"), 1);
  expectShare(liked({ noise: 0 }, 2, "neither"), 0);
  expectShare(liked({ noise: 0 }, 2, "agreement"), 0);
});

test("with noise 0.1 a tenth of the thumbs is flipped, with 0.5 they carry no information", () => {
  expectShare(liked({ noise: 0.1 }, 0, "right"), 0.9);
  expectShare(liked({ noise: 0.1 }, 2, "neither"), 0.1);
  expectShare(liked({ noise: 0.5 }, 0, "right"), 0.5);
  expectShare(liked({ noise: 0.5 }, 2, "neither"), 0.5);
});

test("flattered visitors also like agreement, and like right answers no less", () => {
  const options = { noise: 0.1, flattery: 0.3 };
  expectShare(liked(options, 2, "agreement"), 0.3 * 0.9 + 0.7 * 0.1);
  expectShare(liked(options, 2, "right"), 0.9);
  expectShare(liked(options, 2, "neither"), 0.1);
});

test("proud visitors dislike right answers that contradict them, and no others", () => {
  const options = { noise: 0, pride: 0.6 };
  expectShare(liked(options, 2, "right"), 0.4);
  expectShare(liked(options, 1, "right"), 1);
  expectShare(liked(options, 0, "right"), 1);
});

test("the same answer to the same task gets the same thumb", () => {
  const spec = withVisitors(OPINION, { noise: 0.5 });
  for (let seed = 0; seed < 40; seed += 1) {
    const { judge } = spec.create(spec.reference(seed, "train", 0));
    expect(judge("fish")).toEqual(judge("fish"));
  }
});

test("a probability above 1 is refused", () => {
  expect(() => withVisitors(OPINION, { noise: 1.2 })).toThrow(/noise.*1\.2/);
});
