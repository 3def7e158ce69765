/** A site that learns from visitors must say so in its own consent text. */
import { expect, onTestFinished, test } from "vitest";
import { PLANNER_FILES, plannerSite } from "../../../../test/fixtures/planner-site.ts";
import { loadSite } from "./load-site.ts";

const CONFIG = PLANNER_FILES["waggle.config.ts"] as string;
const LEARNING = CONFIG.replace("publishEvery: 2", "publishEvery: 2, feedbackWaitSeconds: 60");

function site(config: string): string {
  const { folder, remove } = plannerSite({ "waggle.config.ts": config });
  onTestFinished(remove);
  return folder;
}

test("with a text of its own it is loaded", async () => {
  const { definition } = await loadSite(site(LEARNING));
  expect(definition.training?.feedbackWaitSeconds).toBe(60);
});

test.each([
  ["without a text", LEARNING.replace(/ {4}text: .*\n/, ""), "waggle.config.ts:13:"],
  [
    "without consent",
    LEARNING.replace(/ {2}consent: \{[^]*?\n {2}\},\n/, ""),
    "waggle.config.ts:13:",
  ],
])("%s it is refused with file and line", async (_, config, place) => {
  const message = await loadSite(site(config)).then(
    () => "it was loaded",
    (error: unknown) => String(error),
  );
  expect(message).toContain(place);
  expect(message).toContain("write consent.text");
});

test("a wait of 0 seconds is refused, because a thumb comes after its request", async () => {
  await expect(loadSite(site(LEARNING.replace("Seconds: 60", "Seconds: 0")))).rejects.toThrow(
    "training.feedbackWaitSeconds is 0; write a whole number from 1",
  );
});
