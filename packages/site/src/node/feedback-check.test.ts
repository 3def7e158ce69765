/** Which metrics a recipe that learns from feedback needs, and which would cost it thumbs. */
import { expect, onTestFinished, test } from "vitest";
import { PLANNER_FILES, plannerSite } from "../../../../test/fixtures/planner-site.ts";
import { loadSite } from "./load-site.ts";

const CONFIG = "waggle.config.ts";
const BOOKED = '{ booked: { type: "boolean", better: "higher" } }';
const SHOWN = '{ booked: { type: "boolean", better: "higher", weight: 0 } }';

async function loaded(training: string, metrics: string): Promise<string> {
  const config = (PLANNER_FILES[CONFIG] ?? "").replace(
    /training: .*\n/,
    `training: ${training},\n  metrics: ${metrics},\n`,
  );
  const { folder, remove } = plannerSite({ [CONFIG]: config });
  onTestFinished(remove);
  return loadSite(folder).then(
    () => "loaded",
    (error: unknown) => String(error),
  );
}

const waiting = (recipe: string): string => `{ recipe: "${recipe}", feedbackWaitSeconds: 60 }`;

test.each([
  ["thumbs-reinforce", SHOWN],
  ["thumbs-reinforce", "{}"],
  ["outcomes-reinforce", BOOKED],
  ["signals-reinforce", BOOKED],
  ["signals-reinforce", "{}"],
  ["grpo", BOOKED],
])("%s is loaded with the metrics %s", async (recipe, metrics) => {
  expect(await loaded(waiting(recipe), metrics)).toBe("loaded");
});

test("metrics with a weight are refused with file and line beside a recipe that reads thumbs only", async () => {
  const message = await loaded(waiting("thumbs-reinforce"), BOOKED);
  expect(message).toContain("waggle.config.ts:14:");
  expect(message).toContain("write weight: 0 for this metric, or use signals-reinforce");
  expect(await loaded('{ recipe: "thumbs-reinforce" }', BOOKED)).toBe("loaded");
});

test.each(["{}", SHOWN])(
  "a recipe that reads outcomes only is refused with %s",
  async (metrics) => {
    const message = await loaded(waiting("outcomes-reinforce"), metrics);
    expect(message).toContain("waggle.config.ts:13:");
    expect(message).toContain("no metric has a weight above 0");
  },
);

test("a thumb needs a weight above 0", async () => {
  const training = `{ recipe: "signals-reinforce", settings: { thumbWeight: 0 }, feedbackWaitSeconds: 60 }`;
  expect(await loaded(training, BOOKED)).toMatch(
    /waggle\.config\.ts:13:.*the weight of thumb must be a number above 0, got 0/,
  );
});
