import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { loadSite } from "./load-site.ts";
import {
  baseArguments,
  edgeVariables,
  siteSettings,
  trainerArguments,
  variablesOf,
} from "./part-settings.ts";
import { plannerSite } from "../../../../test/fixtures/planner-site.ts";

test("sets the edge's variables and the arguments of the trainer and of the base", async () => {
  const { folder, remove } = plannerSite();
  onTestFinished(remove);
  const loaded = await loadSite(folder);
  expect(edgeVariables(loaded)).toEqual({
    TASK_ENVIRONMENT: "planner",
    GATE_MIN_TASKS: "32",
    GATE_PROBE_TASKS: "32",
    CANARY_SHARE: "0.25",
    VISITOR_TTL_DAYS: "30",
  });
  const settings = {
    taskEnvironment: "planner",
    gateMinTasks: 32,
    gateProbeTasks: 32,
    canaryShare: 0.25,
    visitorTtlDays: 30,
  };
  expect(siteSettings(loaded)).toEqual(settings);
  expect(variablesOf({ ...settings, allowedOrigins: ["https://a", "https://b"] })).toEqual({
    ...edgeVariables(loaded),
    ALLOWED_ORIGINS: "https://a,https://b",
  });
  expect(trainerArguments(loaded).join(" ")).toBe(
    `--env ${folder} --recipe grpo --publish-every 2 --set groupSize=4`,
  );
  const free = { ...loaded, definition: { ...loaded.definition, constrainToolCalls: false } };
  expect(trainerArguments(free)).toContain("--no-constrain-tool-calls");
  expect(baseArguments(loaded).join(" ")).toBe(`--env ${folder} --steps 300 --mistakes 0.2`);
  const argumentsFrom = (from: string) =>
    baseArguments({ ...loaded, definition: { ...loaded.definition, base: { from } } }).join(" ");
  expect(argumentsFrom("default")).toBe(`--env ${folder} --from default`);
  expect(argumentsFrom("./shared.ts")).toBe(`--env ${folder} --from ${join(folder, "shared.ts")}`);
});

test("how long the edge waits for a thumb is a setting of the edge", async () => {
  const { folder, remove } = plannerSite();
  onTestFinished(remove);
  const loaded = await loadSite(folder);
  const training = { ...loaded.definition.training, feedbackWaitSeconds: 60 };
  const waiting = { ...loaded, definition: { ...loaded.definition, training } };
  expect(siteSettings(waiting).feedbackWaitSeconds).toBe(60);
  expect(edgeVariables(waiting)["FEEDBACK_WAIT_SECONDS"]).toBe("60");
});

test("what holds a policy near its base is an option of the trainer", async () => {
  const { folder, remove } = plannerSite();
  onTestFinished(remove);
  const { definition } = await loadSite(folder);
  const training = { ...definition.training, klCoefficient: 0.1, baseDrift: 0 };
  const args = trainerArguments({ folder, definition: { ...definition, training } }).join(" ");
  expect(args).toContain("--kl-coefficient 0.1 --watch-base-drift 0");
});

test("the edge asks for probes on its smallest number of tasks, unless the site says how many or has no environment", async () => {
  const { folder, remove } = plannerSite();
  onTestFinished(remove);
  const loaded = await loadSite(folder);
  const { definition } = loaded;
  const tasksWith = (gate: typeof definition.gate) =>
    siteSettings({ ...loaded, definition: { ...definition, ...(gate && { gate }) } })
      .gateProbeTasks;
  expect(tasksWith({})).toBe(64);
  expect(tasksWith({ minTasks: 40 })).toBe(40);
  expect(tasksWith({ minTasks: 40, probeTasks: 0 })).toBe(0);
  expect(siteSettings({ ...loaded, environment: null })).not.toHaveProperty("gateProbeTasks");
});
