/** The catalogue of recipes, and its coverage of the literature's table. */
import { WaggleError } from "@waggle/protocol";
import { ARRANGEMENT_NAMES } from "../composition/arrangement.ts";
import { type CreateRecipe, partsOf, type Recipe } from "../composition/definition.ts";
import { GRPO_RECIPES } from "./policy-gradient/grpo.ts";
import { ESTIMATOR_RECIPES } from "./policy-gradient/estimators.ts";
import { CRITIC_RECIPES } from "./policy-gradient/critics.ts";
import { BRANCHING_RECIPES } from "./policy-gradient/branching.ts";
import { BATCH_COMPOSITION_RECIPES } from "./policy-gradient/batch-composition.ts";
import { ASYNCHRONOUS_RECIPES } from "./policy-gradient/asynchronous.ts";
import { ENTROPY_RECIPES } from "./policy-gradient/entropy.ts";
import { STORED_STEP_RECIPES } from "./policy-gradient/stored-steps.ts";
import { COST_RECIPES } from "./reward-design/cost.ts";
import { TIER_RECIPES } from "./reward-design/tiers.ts";
import { DENSE_RECIPES } from "./reward-design/dense.ts";
import { ANSWER_RECIPES } from "./reward-design/answers.ts";
import { TURN_CREDIT_RECIPES } from "./reward-design/turn-credit.ts";
import { JUDGED_RECIPES } from "./reward-design/judged.ts";
import { REWARD_MODEL_RECIPES } from "./reward-design/reward-models.ts";
import { PREFERRED_REWARD_RECIPES } from "./reward-design/preferred-rewards.ts";
import { TASK_CHOICE_RECIPES } from "./curricula/task-choice.ts";
import { LEVEL_RECIPES } from "./curricula/levels.ts";
import { COLD_START_RECIPES } from "./curricula/cold-start.ts";
import { TEACHER_START_RECIPES } from "./curricula/teacher-starts.ts";
import { SIMULATED_RECIPES } from "./environments/simulated.ts";
import { CHANGED_RECIPES } from "./environments/changed.ts";
import { USER_RECIPES } from "./environments/users.ts";
import { CORPORA_RECIPES } from "./environments/corpora.ts";
import { DEMONSTRATION_RECIPES } from "./imitation/demonstrations.ts";
import { TEXT_RECIPES } from "./imitation/text.ts";
import { FILTERED_RECIPES } from "./imitation/filtered.ts";
import { TEACHER_RECIPES } from "./imitation/teachers.ts";
import { TOKEN_LOSS_RECIPES } from "./imitation/token-losses.ts";
import { TASK_FORM_RECIPES } from "./imitation/task-forms.ts";
import { PARAMETER_RECIPES } from "./imitation/parameters.ts";
import { FAST_WEIGHT_RECIPES } from "./imitation/fast-weights.ts";
import { OWN_ROLLOUT_RECIPES } from "./imitation/own-rollouts.ts";
import { PAIR_RECIPES } from "./preference/pairs.ts";
import { STEP_RECIPES } from "./preference/steps.ts";
import { JUDGE_RECIPES } from "./preference/judges.ts";
import { RETURN_RECIPES } from "./offline/returns.ts";
import { VALUE_RECIPES } from "./offline/values.ts";
import { ONLINE_RECIPES } from "./offline/online.ts";
import { IMITATED_RECIPES } from "./search/imitated.ts";
import { PREFERRED_RECIPES } from "./search/preferred.ts";
import { NOTE_RECIPES } from "./memory/notes.ts";
import { LESSON_RECIPES } from "./memory/lessons.ts";
import { CASE_RECIPES } from "./memory/cases.ts";
import { TEAM_RECIPES } from "./several-models/teams.ts";
import { HIERARCHY_RECIPES } from "./several-models/hierarchies.ts";
import { SELF_PLAY_RECIPES } from "./several-models/self-play.ts";
import { PROPOSER_RECIPES } from "./several-models/proposers.ts";
import { ADAPTER_RECIPES } from "./several-models/adapters.ts";
import { ROLE_RECIPES } from "./several-models/roles.ts";
import { TASK_VECTOR_RECIPES } from "./merging/task-vectors.ts";
import { CONTINUAL_RECIPES } from "./merging/continual.ts";
import { PROMPT_RECIPES } from "./without-gradients/prompts.ts";
import { AGENT_RECIPES } from "./without-gradients/agents.ts";
import { EVOLUTION_RECIPES } from "./without-gradients/evolution.ts";
import { CORRECTION_RECIPES } from "./feedback/corrections.ts";
import { LABEL_RECIPES } from "./feedback/labels.ts";
import { NORMALIZED_RECIPES } from "./feedback/normalized.ts";
import { FEEDBACK_PAIR_RECIPES } from "./feedback/pairs.ts";
import { OUTCOME_RECIPES } from "./feedback/outcomes.ts";
import { THUMB_RECIPES } from "./feedback/thumbs.ts";
import { LITERATURE, type LiteratureRow, plainParts } from "./literature.ts";

const ALL: readonly CreateRecipe[] = [
  ...GRPO_RECIPES,
  ...ESTIMATOR_RECIPES,
  ...CRITIC_RECIPES,
  ...BRANCHING_RECIPES,
  ...BATCH_COMPOSITION_RECIPES,
  ...ASYNCHRONOUS_RECIPES,
  ...ENTROPY_RECIPES,
  ...STORED_STEP_RECIPES,
  ...COST_RECIPES,
  ...TIER_RECIPES,
  ...DENSE_RECIPES,
  ...ANSWER_RECIPES,
  ...TURN_CREDIT_RECIPES,
  ...JUDGED_RECIPES,
  ...REWARD_MODEL_RECIPES,
  ...PREFERRED_REWARD_RECIPES,
  ...TASK_CHOICE_RECIPES,
  ...LEVEL_RECIPES,
  ...COLD_START_RECIPES,
  ...TEACHER_START_RECIPES,
  ...SIMULATED_RECIPES,
  ...CHANGED_RECIPES,
  ...USER_RECIPES,
  ...CORPORA_RECIPES,
  ...DEMONSTRATION_RECIPES,
  ...TEXT_RECIPES,
  ...FILTERED_RECIPES,
  ...TEACHER_RECIPES,
  ...TOKEN_LOSS_RECIPES,
  ...TASK_FORM_RECIPES,
  ...PARAMETER_RECIPES,
  ...FAST_WEIGHT_RECIPES,
  ...OWN_ROLLOUT_RECIPES,
  ...PAIR_RECIPES,
  ...STEP_RECIPES,
  ...JUDGE_RECIPES,
  ...RETURN_RECIPES,
  ...VALUE_RECIPES,
  ...ONLINE_RECIPES,
  ...IMITATED_RECIPES,
  ...PREFERRED_RECIPES,
  ...NOTE_RECIPES,
  ...LESSON_RECIPES,
  ...CASE_RECIPES,
  ...TEAM_RECIPES,
  ...HIERARCHY_RECIPES,
  ...SELF_PLAY_RECIPES,
  ...PROPOSER_RECIPES,
  ...ADAPTER_RECIPES,
  ...ROLE_RECIPES,
  ...TASK_VECTOR_RECIPES,
  ...CONTINUAL_RECIPES,
  ...PROMPT_RECIPES,
  ...AGENT_RECIPES,
  ...EVOLUTION_RECIPES,
  ...LABEL_RECIPES,
  ...THUMB_RECIPES,
  ...OUTCOME_RECIPES,
  ...NORMALIZED_RECIPES,
  ...CORRECTION_RECIPES,
  ...FEEDBACK_PAIR_RECIPES,
];

/** Every recipe by its name. */
export const RECIPES: ReadonlyMap<string, CreateRecipe> = new Map(
  ALL.map((create) => [create.recipeName, create]),
);

/** @throws WaggleError `INVALID_ARGUMENT` with similar names, or with some that exist. */
export function recipeNamed(name: string): CreateRecipe {
  const create = RECIPES.get(name);
  if (create === undefined) {
    const names = [...RECIPES.keys()];
    const similar = names.filter((one) => one.startsWith(name.slice(0, 3)));
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `unknown recipe "${name.slice(0, 64)}"; choose one of ${names.length}, such as ${(similar.length > 0 ? similar : names).slice(0, 8).join(", ")}. \`waggle train --list\` shows all`,
    );
  }
  return create;
}

export type RowState = {
  readonly row: LiteratureRow;
  /** Name of the recipe for the row; `null` if there is none. */
  readonly recipe: string | null;
  readonly state: "expressible" | "missing parts" | "not written";
  /** Missing parts as `slot:part`; only `recipe` if all parts exist but no recipe combines them. */
  readonly missing: readonly string[];
};

/** The state of every row of the literature. */
export function literatureStates(): RowState[] {
  const recipes = [...RECIPES.values()].map((create) => create());
  const byRow = new Map(recipes.map((one) => [one.literature.recipe, one]));
  const built = new Set(recipes.flatMap(partNames));
  for (const name of ARRANGEMENT_NAMES) built.add(`schedule:${name}`);
  return LITERATURE.map((row): RowState => {
    const recipe = byRow.get(row.recipe);
    const has = recipe === undefined ? built : new Set(partNames(recipe));
    const missing = plainParts(row)
      .map(({ slot, part }) => `${slot}:${part}`)
      .filter((part) => !has.has(part));
    if (missing.length > 0) {
      return { row, recipe: recipe?.name ?? null, state: "missing parts", missing };
    }
    if (recipe === undefined)
      return { row, recipe: null, state: "not written", missing: ["recipe"] };
    return { row, recipe: recipe.name, state: "expressible", missing };
  });
}

/** Recipes without a row: baselines for comparison, and recipes for the feedback loop. */
export function otherRecipes(): Recipe[] {
  const rows = new Set(LITERATURE.map(({ recipe: row }) => row));
  return [...RECIPES.values()]
    .map((create) => create())
    .filter(({ literature }) => !rows.has(literature.recipe));
}

function partNames(recipe: Recipe): string[] {
  return Object.entries(partsOf(recipe)).flatMap(([slot, names]) =>
    names.map((part) => `${slot}:${part}`),
  );
}
