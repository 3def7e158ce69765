/** What a live run tells its edge and its trainer about a site. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { plannerSite } from "../../../../test/fixtures/planner-site.ts";
import { siteFrom } from "../site/site.ts";
import { environmentArguments } from "../stack/trainer-process.ts";
import { liveRelease, refusedModules, withoutEnvironment } from "./live-site.ts";

const removals: (() => void)[] = [];
afterEach(() => removals.splice(0).forEach((remove) => remove()));

async function planner() {
  const { folder, remove } = plannerSite();
  removals.push(remove);
  return siteFrom(folder);
}

test("edge and trainer of a live run get the site without its environment, and with a release", async () => {
  const site = await planner();
  expect(site.edgeVariables).toHaveProperty("TASK_ENVIRONMENT");
  expect(site.trainerArguments?.slice(0, 2)).toEqual(["--env", site.project]);
  const known = withoutEnvironment(site);
  expect(known).toMatchObject({ name: "planner", environment: null });
  expect(environmentArguments(known)).toEqual([]);
  expect(known.trainerArguments).toEqual(site.trainerArguments?.slice(2));
  expect(Object.keys(known.edgeVariables ?? {})).not.toEqual(
    expect.arrayContaining(["TASK_ENVIRONMENT"]),
  );
  expect(known.edgeVariables).toMatchObject({ GATE_MIN_TASKS: "32" });
  expect(known.settings).not.toHaveProperty("taskEnvironment");
  const habits = { answering: 0.5, wrong: 0.15, seed: 0 };
  const metricOf = (signal: "thumb" | "outcome" | "message") =>
    (JSON.parse(liveRelease({ ...habits, signal }).GATE_RELEASE) as { metric: string }).metric;
  expect([metricOf("thumb"), metricOf("outcome"), metricOf("message")]).toEqual([
    "thumb",
    "solved",
    "solved",
  ]);
});

test("the trainer of a live run is refused environments, the site's modules, the backend and people", async () => {
  const site = await planner();
  const places = refusedModules(site);
  expect(places.every((place) => existsSync(place))).toBe(true);
  expect(places).toEqual(expect.arrayContaining([join(site.project, "environment.ts")]));
  expect(places.map((place) => place.split("/").slice(-2).join("/"))).toEqual(
    expect.arrayContaining(["packages/environments", "src/people", "src/backend"]),
  );
});
