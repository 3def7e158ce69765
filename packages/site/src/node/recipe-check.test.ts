/** Which recipes fit what a site collects. */
import { expect, onTestFinished, test } from "vitest";
import { PLANNER_FILES, plannerSite } from "../../../../test/fixtures/planner-site.ts";
import { type LoadedSite, loadSite } from "./load-site.ts";
import { trainerArguments } from "./part-settings.ts";

const CONFIG = "waggle.config.ts";

function siteWith(training: string, collect: string): Promise<LoadedSite> {
  const config = (PLANNER_FILES[CONFIG] ?? "")
    .replace(/training: .*\n/, `training: ${training},\n`)
    .replace("consent: {", `consent: {\n    collect: "${collect}",`);
  const { folder, remove } = plannerSite({ [CONFIG]: config });
  onTestFinished(remove);
  return loadSite(folder);
}

test("a site that collects rewards only learns by evolution strategies, which it may set", async () => {
  const args = trainerArguments(await siteWith("{}", "rewards")).join(" ");
  expect(args).toContain("--recipe evolution-strategies");
  const set = trainerArguments(await siteWith("{ settings: { tasks: 4 } }", "rewards")).join(" ");
  expect(set).toContain("--recipe evolution-strategies");
  expect(set).toContain("--set tasks=4");
  expect(trainerArguments(await siteWith("{}", "full"))).not.toContain("--recipe");
});

test.each([
  [`{ recipe: "grpo" }`, "rewards", "recipe grpo learns from trajectories"],
  [`{ recipe: "evolution-strategies" }`, "full", "learns from rewards alone"],
  [`{ recipe: "evolution-strategies" }`, "statistics", "learns from rewards alone"],
  ["{ settings: { temperature: 9 } }", "rewards", "temperature"],
])("%s with %s is refused with its place", async (training, collect, message) => {
  const error = await siteWith(training, collect).then(() => "loaded", String);
  expect(error).toContain("waggle.config.ts:13:");
  expect(error).toContain(message);
});

test("a recipe that fits is taken", async () => {
  for (const [recipe, collect] of [
    ["evolution-strategies", "rewards"],
    ["grpo", "full"],
    ["grpo", "statistics"],
  ] as const) {
    const site = await siteWith(`{ recipe: "${recipe}" }`, collect);
    expect(trainerArguments(site).join(" ")).toContain(`--recipe ${recipe}`);
  }
});
