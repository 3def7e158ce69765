/**
 * Every recipe fits its evidence environment, and an incompatible environment is refused before a
 * run starts.
 */
import { environmentNamed } from "@waggle/environments";
import { recipeNamed, RECIPES } from "@waggle/learning";
import { expect, test } from "vitest";
import { environmentWarning, requireEnvironment } from "./environment-requirements.ts";
import { recipePlace } from "./recipe-places.ts";

test("every recipe fits the environment that the list names for it", async () => {
  const refused: string[] = [];
  for (const create of RECIPES.values()) {
    const { environment } = recipePlace(create());
    await requireEnvironment(create(), environmentNamed(environment)).catch((error: Error) =>
      refused.push(error.message),
    );
  }
  expect(refused).toEqual([]);
});

test.each([
  ["memory-r1", "calculator", {}, /calculator has no memory.*run the recipe in diary/],
  [
    "spice",
    "library",
    {},
    /tasks of library cannot be solved without documents.*run it in calculator/,
  ],
  ["search-self-play", "lookup", {}, /environment "lookup" has no documents/],
  ["multi-agent-evolve", "form", {}, /form accepts no proposed tasks/],
  ["deep-dx-search", "form", {}, /environment "form" has no documents/],
  [
    "grpo",
    "bandit",
    { groupSize: 1 },
    /recipe grpo compares the rollouts of a task, but its group size is 1/,
  ],
])("%s in %s with %o is refused", async (name, env, settings, text) => {
  const recipe = recipeNamed(name)(settings);
  await expect(requireEnvironment(recipe, environmentNamed(env))).rejects.toThrow(text);
});

test.each([
  [
    "se-gui",
    "calculator",
    /calculator does not offer turn-rewards and closeness, which recipe se-gui needs: .*no effect/,
  ],
  ["fusion-agent", "bandit", /bandit does not offer several-calls.*default environment is lookup/],
  ["duration-aware", "bandit", /bandit does not offer progress/],
  ["grpo", "bandit", /^$/],
])("%s in %s: a warning says what the environment does not offer", (name, env, text) => {
  expect(environmentWarning(recipeNamed(name)(), environmentNamed(env)) ?? "").toMatch(text);
});

test("no recipe warns in its default environment", () => {
  const warned = [...RECIPES.values()].filter((create) => {
    const { environment } = recipePlace(create());
    return environmentWarning(create(), environmentNamed(environment)) !== null;
  });
  expect(warned).toEqual([]);
});
