/** Every recipe fits the environment it is looked at in, and what does not fit is refused before anything runs. */
import { environmentNamed } from "@waggle/environments";
import { recipeNamed, RECIPES } from "@waggle/learning";
import { expect, test } from "vitest";
import { requireEnvironment } from "./environment-requirements.ts";
import { recipePlace } from "./recipe-places.ts";

test("every recipe fits the environment that the list names", async () => {
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
  ["memory-r1", "calculator", {}, /must have a memory.*run it in diary/],
  ["spice", "library", {}, /must have documents.*got library; run it in calculator/],
  ["search-self-play", "lookup", {}, /environment "lookup" has no documents/],
  ["multi-agent-evolve", "form", {}, /must take proposals.*got form/],
  ["deep-dx-search", "form", {}, /environment "form" has no documents/],
  ["grpo", "bandit", { groupSize: 1 }, /recipe grpo compares rollouts at a task, got 1 of each/],
])("%s in %s with %o is refused", async (name, env, settings, words) => {
  const recipe = recipeNamed(name)(settings);
  await expect(requireEnvironment(recipe, environmentNamed(env))).rejects.toThrow(words);
});
