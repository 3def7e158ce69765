/** Recipes by the name that a command line gives, and what the literature's table still lacks. */
import { WaggleError } from "@waggle/protocol";
import { ARRANGEMENT_NAMES } from "../composition/arrangement.ts";
import { type CreateRecipe, partsOf, type Recipe } from "../composition/definition.ts";
import { a2fm } from "./a2fm.ts";
import { aepo } from "./aepo.ts";
import { arpo } from "./arpo.ts";
import { artist } from "./artist.ts";
import { bnGspo } from "./bn-gspo.ts";
import { greedyAgents } from "./greedy-agents.ts";
import { grpoRoc } from "./grpo-roc.ts";
import { pivotRl } from "./pivot-rl.ts";
import { polar } from "./polar.ts";
import { rl4vlm } from "./rl4vlm.ts";
import { scalingInterRl } from "./scaling-inter-rl.ts";
import { webdancer } from "./webdancer.ts";
import { asearcher } from "./asearcher.ts";
import { astra } from "./astra.ts";
import { agentGl } from "./agent-gl.ts";
import { agenTracer } from "./agen-tracer.ts";
import { armThinker } from "./arm-thinker.ts";
import { calibrationRl } from "./calibration-rl.ts";
import { closedLoopRl } from "./closed-loop-rl.ts";
import { codeGym } from "./code-gym.ts";
import { drGrpoTis } from "./dr-grpo-tis.ts";
import { deepSport } from "./deep-sport.ts";
import { dynamicPlanning } from "./dynamic-planning.ts";
import { envFactory } from "./env-factory.ts";
import { era } from "./era.ts";
import { fusionAgent } from "./fusion-agent.ts";
import { geoVista } from "./geo-vista.ts";
import { gflowVlm } from "./gflow-vlm.ts";
import { graphWalker } from "./graph-walker.ts";
import { grpoAr } from "./grpo-ar.ts";
import { grpo } from "./grpo.ts";
import { hdpo } from "./hdpo.ts";
import { indusAgent } from "./indus-agent.ts";
import { kimiK2 } from "./kimi-k2.ts";
import { kimiDev } from "./kimi-dev.ts";
import { lmExperimenter } from "./lm-experimenter.ts";
import { logigen } from "./logigen.ts";
import { longVt } from "./long-vt.ts";
import { plannerR1 } from "./planner-r1.ts";
import { quasar } from "./quasar.ts";
import { reflectRetryReward } from "./reflect-retry-reward.ts";
import { remoteAgent } from "./remote-agent.ts";
import { rftInstanceFilter } from "./rft-instance-filter.ts";
import { seGui } from "./se-gui.ts";
import { sftGrpoLength } from "./sft-grpo-length.ts";
import { spotAgent } from "./spot-agent.ts";
import { taMdp } from "./ta-mdp.ts";
import { toolCua } from "./tool-cua.ts";
import { verlTool } from "./verl-tool.ts";
import { videoTempO3 } from "./video-temp-o3.ts";
import { vlDac } from "./vl-dac.ts";
import { durationAware } from "./duration-aware.ts";
import { openAgentRl } from "./open-agent-rl.ts";
import { arpoGui } from "./arpo-gui.ts";
import { dart } from "./dart.ts";
import { roRecomp } from "./ro-recomp.ts";
import { rlRetention } from "./rl-retention.ts";
import { behaviorPriming } from "./behavior-priming.ts";
import { mpts } from "./mpts.ts";
import { spear } from "./spear.ts";
import { evolutionStrategies } from "./evolution-strategies.ts";
import { FEEDBACK_RECIPES } from "./feedback-recipes.ts";
import { IMITATION_RECIPES } from "./imitation-recipes.ts";
import { MERGING_RECIPES } from "./merging-recipes.ts";
import { PREFERENCE_RECIPES } from "./preference-recipes.ts";
import { SEARCH_RECIPES } from "./search-recipes.ts";
import { TEXT_RECIPES } from "./text-recipes.ts";
import { SEVERAL_MODEL_RECIPES } from "./several-model-recipes.ts";
import { aiSearchPlanner } from "./ai-search-planner.ts";
import { pprRenorm } from "./ppr-renorm.ts";
import { muaRl } from "./mua-rl.ts";
import { meowTeaTaro } from "./meow-tea-taro.ts";
import { chainOfAgents } from "./chain-of-agents.ts";
import { dirl } from "./dirl.ts";
import { embodiedR1 } from "./embodied-r1.ts";
import { orchard } from "./orchard.ts";
import { environmentTuning } from "./environment-tuning.ts";
import { CHANGED_WORLD_RECIPES } from "./changed-environment-recipes.ts";
import { LITERATURE, type LiteratureRow, plainParts } from "./literature.ts";

const ALL: readonly CreateRecipe[] = [
  grpo,
  drGrpoTis,
  a2fm,
  aepo,
  arpo,
  artist,
  bnGspo,
  greedyAgents,
  grpoRoc,
  pivotRl,
  polar,
  rl4vlm,
  scalingInterRl,
  webdancer,
  asearcher,
  astra,
  agentGl,
  agenTracer,
  armThinker,
  calibrationRl,
  closedLoopRl,
  codeGym,
  deepSport,
  dynamicPlanning,
  envFactory,
  era,
  fusionAgent,
  geoVista,
  gflowVlm,
  graphWalker,
  grpoAr,
  hdpo,
  indusAgent,
  kimiK2,
  kimiDev,
  lmExperimenter,
  logigen,
  longVt,
  plannerR1,
  quasar,
  reflectRetryReward,
  remoteAgent,
  rftInstanceFilter,
  seGui,
  sftGrpoLength,
  spotAgent,
  taMdp,
  toolCua,
  verlTool,
  videoTempO3,
  vlDac,
  durationAware,
  openAgentRl,
  arpoGui,
  dart,
  roRecomp,
  rlRetention,
  behaviorPriming,
  mpts,
  spear,
  aiSearchPlanner,
  pprRenorm,
  muaRl,
  meowTeaTaro,
  chainOfAgents,
  dirl,
  embodiedR1,
  orchard,
  environmentTuning,
  evolutionStrategies,
  ...CHANGED_WORLD_RECIPES,
  ...FEEDBACK_RECIPES,
  ...IMITATION_RECIPES,
  ...PREFERENCE_RECIPES,
  ...SEARCH_RECIPES,
  ...MERGING_RECIPES,
  ...TEXT_RECIPES,
  ...SEVERAL_MODEL_RECIPES,
];

export const RECIPES: ReadonlyMap<string, CreateRecipe> = new Map(
  ALL.map((create) => [create.recipeName, create]),
);

/** @throws WaggleError `INVALID_ARGUMENT` with names that begin alike, or else some that exist. */
export function recipeNamed(name: string): CreateRecipe {
  const create = RECIPES.get(name);
  if (create === undefined) {
    const names = [...RECIPES.keys()];
    const alike = names.filter((one) => one.startsWith(name.slice(0, 3)));
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `recipe must be one of ${names.length} names such as ${(alike.length > 0 ? alike : names).slice(0, 8).join(", ")}, got ${name.slice(0, 64)}; \`npm run train -- --list\` has all`,
    );
  }
  return create;
}

export type RowState = {
  readonly row: LiteratureRow;
  /** The recipe that expresses it, `null` where nobody wrote it. */
  readonly recipe: string | null;
  readonly state: "expressible" | "missing parts" | "not written";
  /** Parts of the row that no recipe has; `recipe` alone where all are there and nobody put them together. */
  readonly missing: readonly string[];
};

/** Every row of the literature, and what of it can be run. */
export function literatureStates(): RowState[] {
  const made = [...RECIPES.values()].map((create) => create());
  const byRow = new Map(made.map((one) => [one.literature.recipe, one]));
  const built = new Set(made.flatMap(partNames));
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

/** Recipes of papers that are in no row: those that others are compared with or that the loop is made for. */
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
