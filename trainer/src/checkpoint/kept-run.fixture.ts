/**
 * A separate process that runs a recipe in the bandit and saves the run in a folder, to be killed by
 * tests: `node --conditions=source kept-run.fixture.ts <recipe> <base> <folder> <steps>`. Its last line
 * is a digest of the final result. Tests only.
 */
import { createHash } from "node:crypto";
import { environmentNamed } from "@waggle/environments";
import { recipeNamed } from "@waggle/learning";
import { readBaseModel } from "../model/base-model.ts";
import { openPolicy } from "../model/open-model.ts";
import { openRecipeEngines, swapStrategy } from "../loop/recipe-engines.ts";
import { runRecipe } from "../loop/recipe-run.ts";
import { openRunFolder, tensorsDigest } from "../loop/run-folder.ts";
import { enginesOf } from "../loop/run-keeping.ts";
import { withFewerTasks } from "../loop/short-run.fixture.ts";

const [, , name = "", base = "", folder = "", steps = "", seed = "3"] = process.argv;
const whole = recipeNamed(name)();
const recipe = { ...whole, stages: whole.stages.map((stage) => withFewerTasks(stage, 3)) };
const model = await readBaseModel(base);
const adapterShape = { rank: 2, alpha: 4 };
const runFolder = await openRunFolder({
  folder,
  settings: { recipe: name, environment: "bandit", seed: Number(seed), steps: Number(steps) },
  resumes: true,
  every: 1,
  isStopping: () => false,
});
const engines = await openRecipeEngines(
  recipe,
  model,
  "cpu",
  { ...adapterShape, seed: Number(seed) },
  { threads: 1 },
);
const policy = await openPolicy(model, 1, undefined, swapStrategy(recipe));
const events: unknown[] = [...(runFolder.keeper.found?.events ?? [])];
if (events.length > 0) console.log(`resumed ${events.length}`);
const result = await runRecipe(
  recipe,
  {
    ...engines,
    policy,
    format: model.format,
    adapterShape,
    spec: environmentNamed("bandit"),
  },
  {
    seed: Number(seed),
    evaluationTasks: 4,
    evaluateEvery: 2,
    steps: Number(steps),
    keeper: runFolder.keeper,
  },
  (event) => {
    events.push(event);
    console.log(event.event);
  },
  new AbortController().signal,
);
const hash = createHash("sha256");
for (const [role, engine] of enginesOf({ ...engines })) {
  hash.update(role).update(tensorsDigest((await engine.save()).tensors));
}
/** Fields that depend on the clock or are random per record; all others are part of the result. */
const OWN: ReadonlySet<string> = new Set(["seconds", "id", "startedAt", "endedAt"]);
const plain = JSON.stringify({ events, final: result.final, state: result.state }, (key, value) =>
  OWN.has(key) ? undefined : (value as unknown),
);
hash.update(plain);
console.log(`end ${hash.digest("hex")}`);
await policy.dispose();
await engines.dispose();
