/** Which judges a site can have, and what they mean for the edge and the trainer. */
import { expect, onTestFinished, test } from "vitest";
import { PLANNER_FILES, plannerSite } from "../../../../test/fixtures/planner-site.ts";
import { type LoadedSite, loadSite } from "./load-site.ts";
import { siteSettings, trainerArguments } from "./part-settings.ts";

const CONFIG = "waggle.config.ts";

function siteWith(training: string, { text = true, environment = true } = {}): Promise<LoadedSite> {
  const given = (PLANNER_FILES[CONFIG] ?? "").replace(/training: .*\n/, `training: ${training},\n`);
  // The lines stay where they are.
  const config = environment
    ? given
    : given.replace(/ {2}(?:environment|reward|base): .*\n/g, "\n");
  const { folder, remove } = plannerSite({
    [CONFIG]: text ? config : config.replace(/ {4}text: .*\n/, ""),
  });
  onTestFinished(remove);
  return loadSite(folder);
}

const MESSAGES = `recipe: "messages-reinforce", feedbackWaitSeconds: 60`;

test("a judge of messages: the edge waits for them, and the trainer asks it", async () => {
  const judge = `{ model: "m", votes: 5, messages: true }`;
  const site = await siteWith(`{ ${MESSAGES}, judge: ${judge} }`);
  expect(siteSettings(site).feedbackFrom).toEqual(["message", "judge"]);
  const args = trainerArguments(site).join(" ");
  expect(args).toContain("--judge-model m --judge-votes 5 --judge-messages");
});

test("new trials at requests: the edge waits for no feedback", async () => {
  const judge = `{ requestTrials: 4, readOnlyTools: ["search", "cart"] }`;
  const site = await siteWith(`{ recipe: "grpo", judge: ${judge} }`);
  const { feedbackFrom, feedbackWaitSeconds } = siteSettings(site);
  expect([feedbackFrom, feedbackWaitSeconds]).toEqual([["judge"], undefined]);
  const args = trainerArguments(site).join(" ");
  expect(args).toContain("--request-trials 4 --read-only-tools search,cart");
  expect(args).not.toContain("--judge-messages");
});

test("comparisons: the trainer asks the judge, and the edge waits for nothing that only a judge can read", async () => {
  const training = `{ recipe: "thumbs-reinforce", feedbackWaitSeconds: 60, judge: { comparisons: 64 } }`;
  const site = await siteWith(training, { environment: false });
  expect(siteSettings(site).feedbackFrom).toEqual(["thumb"]);
  const args = trainerArguments(site).join(" ");
  expect(args).toContain("--compare-requests 64");
  expect(args).not.toContain("--request-trials");
});

test.each([
  ["0", "write a whole number from 1 to 1000"],
  ["1.5", "write a whole number from 1 to 1000"],
  ["31", "the gate needs 32 verdicts, so 31 requests can never be enough; set comparisons to 64"],
])("%s comparisons are refused with their place", async (comparisons, message) => {
  const training = `{ ${MESSAGES}, judge: { comparisons: ${comparisons} } }`;
  const error = await siteWith(training, { environment: false }).then(() => "loaded", String);
  expect(error).toContain("waggle.config.ts:13:");
  expect(error).toContain(message);
});

test.each([
  [`{ ${MESSAGES}, judge: { comparisons: 64 } }`, "is evaluated on its tasks"],
  [`{ ${MESSAGES}, judge: {} }`, "has nothing to do"],
  [`{ recipe: "grpo", judge: { messages: true } }`, "grpo does not learn from visitors' messages"],
  [`{ ${MESSAGES}, judge: { requestTrials: 4 } }`, "remove one of the two"],
  [`{ ${MESSAGES}, judge: { messages: true, readOnlyTools: ["a"] } }`, "set requestTrials"],
  [`{ recipe: "grpo", judge: { requestTrials: 1 } }`, "write a whole number from 2 to 32"],
  [`{ recipe: "grpo", judge: { url: "http://x" } }`, "url"],
])("%s is refused with its place", async (training, message) => {
  const error = await siteWith(training).then(() => "loaded", String);
  expect(error).toContain("waggle.config.ts:13:");
  expect(error).toContain(message);
});

test("a judge needs a consent text of the site's own", async () => {
  const training = `{ recipe: "grpo", judge: { requestTrials: 4 } }`;
  const error = await siteWith(training, { text: false }).then(() => "loaded", String);
  expect(error).toContain("training.judge lets the assistant learn from visitors");
});
