/**
 * The loop of a site that collects rewards only: two pages in Chromium work on practice tasks with perturbed policies and send
 * one number each, the trainer steps from these numbers, and its policy is published, promoted and swapped in. The edge
 * stores no trajectory. Uses only real components.
 */
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runLoop } from "../../packages/dev/src/loop/loop.ts";
import type { LoopReport } from "../../packages/dev/src/loop/report.ts";
import { requireEnvironment, siteFrom } from "../../packages/dev/src/site/site.ts";
import { ROOT } from "../../scripts/root.ts";
import { ENVIRONMENT_BASE, environmentBase } from "../../trainer/src/pretrain/environment-base.ts";
import { plannerSite } from "../fixtures/planner-site.ts";
import { shortLoop } from "./short-loop.fixture.ts";

const CONFIG = `import { defineSite } from "@waggle/site";

export default defineSite({
  id: "doors",
  name: "Doors",
  prompt: "You open doors.",
  tools: () => import("./tools.ts"),
  environment: () => import("./environment.ts"),
  training: { settings: { perturbations: 4, tasks: 2 } },
  consent: { version: "1", title: "Practice?", text: "We keep one number.", collect: "rewards" },
});
`;
const FIXTURES = join(ROOT, "test", "fixtures");
const { folder, remove } = plannerSite({
  "waggle.config.ts": CONFIG,
  "tools.ts": `import { definePageTools } from "@waggle/site";
import { OPEN } from ${JSON.stringify(join(FIXTURES, "doors-tool.ts"))};

export default definePageTools({ open: { ...OPEN, run: () => "open" } });
`,
  "environment.ts": `export { doors as default } from ${JSON.stringify(join(FIXTURES, "doors-site.ts"))};\n`,
});
const state = join(ROOT, ".waggle", "test-rewards-loop");
const lines: string[] = [];
let report: LoopReport;

beforeAll(async () => {
  const site = requireEnvironment(await siteFrom(folder), "a test");
  const model = join(folder, "model");
  // Its greedy answers are wrong at some tasks and right at others, so noise changes what it solves.
  const recipe = { ...ENVIRONMENT_BASE, steps: 150, width: 64, layers: 2, mistakes: 0.5 };
  const { signal } = new AbortController();
  await environmentBase(site.environment, model, recipe, { onProgress: () => {}, signal });
  const loop = shortLoop(2, 1);
  report = await runLoop({
    ...loop,
    publications: 1,
    // The first one changes nothing, because pages perturb an adapter. The second one is a step.
    trainerArgs: [...(loop.trainerArgs ?? []), "--max-publications", "2"],
    edgeVariables: { ...loop.edgeVariables, PERTURBATION_SCALE: "0.3" },
    device: "wasm",
    minutes: 4,
    evaluationTasks: 0,
    site,
    model,
    folder: state,
    onLine: (name, line) => lines.push(`${name} ${line}`),
  }).catch((error: unknown) => {
    throw new Error(lines.slice(-40).join("\n"), { cause: error });
  });
}, 420_000);
afterAll(remove);

test("a step from rewards is published, promoted and swapped into both pages", () => {
  expect(report).toMatchObject({
    published: 2,
    promoted: 2,
    pages: { open: 2, onNewest: 2, reloads: 0 },
  });
  expect(report.rewards?.steps).toBe(1);
  expect(report.rewards?.accepted).toBeGreaterThanOrEqual(8);
});

test("no trajectory reaches the edge", () => {
  const { accepted, learned, waiting, lost, twice } = report.uploads;
  expect({ accepted, learned, waiting, lost, twice }).toEqual({
    accepted: 0,
    learned: 0,
    waiting: 0,
    lost: 0,
    twice: 0,
  });
  expect(lines.some((line) => /loop .* · \d+ rewards · /.test(line))).toBe(true);
});
