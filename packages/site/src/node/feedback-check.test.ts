/** Which metrics a recipe that learns from feedback needs, and what the edge waits for. */
import { expect, onTestFinished, test } from "vitest";
import { PLANNER_FILES, plannerSite } from "../../../../test/fixtures/planner-site.ts";
import { skipOutside } from "../../../../test/fixtures/long.ts";
import { type LoadedSite, loadSite } from "./load-site.ts";
import { edgeVariables, siteSettings } from "./part-settings.ts";

const CONFIG = "waggle.config.ts";
const BOOKED = '{ booked: { type: "boolean", better: "higher" } }';
const SHOWN = '{ booked: { type: "boolean", better: "higher", weight: 0 } }';

function siteWith(training: string, metrics: string): Promise<LoadedSite> {
  const config = (PLANNER_FILES[CONFIG] ?? "").replace(
    /training: .*\n/,
    `training: ${training},\n  metrics: ${metrics},\n`,
  );
  const { folder, remove } = plannerSite({ [CONFIG]: config });
  onTestFinished(remove);
  return loadSite(folder);
}

const loaded = (training: string, metrics: string): Promise<string> =>
  siteWith(training, metrics).then(
    () => "loaded",
    (error: unknown) => String(error),
  );

const waiting = (recipe: string): string => `{ recipe: "${recipe}", feedbackWaitSeconds: 60 }`;

test.for([
  ["thumbs-reinforce", SHOWN],
  ["thumbs-reinforce", BOOKED],
  ["messages-reinforce", "{}"],
  ["thumbs-reinforce", "{}"],
  ["outcomes-reinforce", BOOKED],
  ["signals-reinforce", BOOKED],
  ["signals-reinforce", "{}"],
  ["grpo", BOOKED],
] as const)("%s is loaded with the metrics %s", async ([recipe, metrics], context) => {
  skipOutside(metrics === SHOWN || recipe.startsWith("signals"), context);
  expect(await loaded(waiting(recipe), metrics)).toBe("loaded");
});

test.for([
  ["thumbs-reinforce", ["thumb"]],
  ["messages-reinforce", ["message"]],
  ["corrections-imitate", ["edit", "staff"]],
  ["retries-dpo", ["retry"]],
  ["openclaw-distill", ["message"]],
  ["openclaw-rl", ["thumb", "outcome", "message"]],
  ["signals-reinforce", ["thumb", "outcome", "message", "undo"]],
  ["all-signals", ["thumb", "outcome", "message", "undo", "edit", "staff"]],
  ["grpo", undefined],
] as const)("beside %s the edge waits for %j", async ([recipe, from], context) => {
  skipOutside(["retries-dpo", "all-signals", "grpo"].includes(recipe), context);
  const site = await siteWith(waiting(recipe), BOOKED);
  expect(siteSettings(site).feedbackFrom).toEqual(from);
  expect(edgeVariables(site)["FEEDBACK_FROM"]).toBe(from?.join(","));
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
