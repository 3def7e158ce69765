import { afterEach, expect, test } from "vitest";
import { PLANNER_FILES, plannerSite } from "../../../../test/fixtures/planner-site.ts";
import { pageModule } from "../vite/page-module.ts";
import { loadPractice, loadSite } from "./load-site.ts";
import { edgeVariables, siteSettings } from "./part-settings.ts";
import { importText } from "./source-file.ts";

const removals: (() => void)[] = [];
afterEach(() => removals.splice(0).forEach((remove) => remove()));

const CONFIG = PLANNER_FILES["waggle.config.ts"] ?? "";
const PRACTICE = PLANNER_FILES["environment.ts"] ?? "";
const EVERYDAY = PRACTICE.replace('name: "planner"', 'name: "everyday"');
const FIELD = `retentionEnvironment: ${importText("./everyday.ts")},`;
const NAMED = CONFIG.replace("  reward:", `  ${FIELD}\n  reward:`);

/** The planner with a retention environment; `files` replaces some of its files. */
function planner(files: { readonly [file: string]: string } = {}): string {
  const { folder, remove } = plannerSite({
    "waggle.config.ts": NAMED,
    "everyday.ts": EVERYDAY,
    ...files,
  });
  removals.push(remove);
  return folder;
}

test("the environment that a site practices carries the one it must keep, without the site's reward", async () => {
  const folder = planner();
  const { environment, files } = await loadSite(folder);
  expect([environment?.name, environment?.retention?.name]).toEqual(["planner", "everyday"]);
  expect(files.retentionEnvironment).toBe(`${folder}/everyday.ts`);
  const { environment: practiced, retentionFile } = await loadPractice(folder);
  expect([practiced.retention?.name, retentionFile]).toEqual(["everyday", `${folder}/everyday.ts`]);
  const retention = practiced.retention;
  if (retention === undefined) throw new Error("there is a retention environment");
  const { environment: task, judge } = retention.create(retention.reference(0, "heldOut", 0));
  await task.observe();
  expect(await judge("nothing")).toMatchObject({ success: false });
});

test("the edge asks for the tasks, 100 unless the site says how many, and nothing without the environment", async () => {
  const loaded = await loadSite(planner());
  expect(edgeVariables(loaded)).toMatchObject({ GATE_RETENTION_TASKS: "100" });
  const gate = "gate: { minTasks: 32, retentionTasks: 12, retentionMargin: 0.1,";
  const own = await loadSite(
    planner({ "waggle.config.ts": NAMED.replace("gate: { minTasks: 32,", gate) }),
  );
  expect(siteSettings(own)).toMatchObject({ gateRetentionTasks: 12, gateRetentionMargin: 0.1 });
  const without = await loadSite(planner({ "waggle.config.ts": CONFIG }));
  expect(Object.keys(siteSettings(without)).join()).not.toMatch(/retentionTasks/i);
});

test("the page gets nothing of it", async () => {
  const loaded = await loadSite(planner());
  expect(pageModule(loaded, {})).not.toMatch(/everyday/);
});

test.each<[string, { readonly [file: string]: string }, RegExp]>([
  [
    "a module that is imported at once",
    { "waggle.config.ts": NAMED.replace(importText("./everyday.ts"), '"./everyday.ts"') },
    /^waggle\.config\.ts:11:25: retentionEnvironment is "\.\/everyday\.ts"; write \(\) => import/,
  ],
  [
    "a module that is no environment",
    { "everyday.ts": "export default { name: 'everyday' };" },
    /^everyday\.ts:1:\d+: the default export is no environment; write export default defineEnv/,
  ],
  [
    "the environment that the site practices",
    { "waggle.config.ts": NAMED.replace("./everyday.ts", "./environment.ts") },
    /^waggle\.config\.ts:11:25: retentionEnvironment has the tasks of planner, which the site practices/,
  ],
  [
    "another prompt than the page's",
    { "everyday.ts": EVERYDAY.replace("prompt: PROMPT", 'prompt: "You plan."') },
    /^everyday\.ts:4:\d+: the environment's prompt is "You plan\."/,
  ],
  [
    "a site without practice",
    {
      "waggle.config.ts": NAMED.replace(/ {2}environment: .*\n/, "").replace(
        / {2}reward: .*\n/,
        "",
      ),
    },
    /^waggle\.config\.ts:10:25: retentionEnvironment is what practice must not harm, and there is no/,
  ],
  [
    "a number of tasks without the environment",
    { "waggle.config.ts": CONFIG.replace("minTasks: 32", "retentionTasks: 32") },
    /^waggle\.config\.ts:14:27: gate\.retentionTasks is about the tasks of retentionEnvironment, and there is none/,
  ],
  [
    "too many tasks",
    { "waggle.config.ts": NAMED.replace("minTasks: 32", "retentionTasks: 1001") },
    /^waggle\.config\.ts:15:27: gate\.retentionTasks is 1001; write a whole number from 1 to 1000/,
  ],
  [
    "a KL weight below 0",
    { "waggle.config.ts": NAMED.replace("publishEvery: 2", "klCoefficient: -0.1") },
    /^waggle\.config\.ts:14:74: training\.klCoefficient is -0\.1; write a number from 0, such as 0\.1/,
  ],
])("%s is refused with file and line", async (_, files, message) => {
  const folder = planner(files);
  const error: unknown = await loadSite(folder).then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({ code: "INVALID_ARGUMENT" });
  expect(String((error as Error).message).replaceAll(`${folder}/`, "")).toMatch(message);
});
