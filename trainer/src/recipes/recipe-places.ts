/**
 * Where a recipe's evidence is: the environment of its runs or test, the test file, and its
 * evidence page. Rewards that few environments can measure are tested where they are measured. A
 * test compares this with the expectations.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { environmentNamed, type EnvironmentSpec, withVisitors } from "@waggle/environments";
import type { EnvironmentMeasure, Recipe, Stage } from "@waggle/learning";

/** Where a recipe's evidence is. */
export type RecipePlace = {
  /** Name of the environment. */
  readonly environment: string;
  /** Paths from the repository root; `evidence` is null until the recipe has runs. */
  readonly test: string;
  readonly evidence: string | null;
};

const ROOT = join(import.meta.dirname, "../../..");
/** The file of settings chosen before the runs. */
const CHOSEN = join(ROOT, "docs/evidence/learning/expectations.json");

/** The default environment. Its tool fails occasionally, which is enough to show most claims. */
const USUAL = "calculator";

/**
 * Claims that show only in other environments: costly calls, long paths, or turns and users judged
 * separately.
 */
const ELSEWHERE: { readonly [environment: string]: readonly string[] } = {
  lookup: [
    "para-grpo",
    "severa",
    "ada",
    "agent-gl",
    "agent-math",
    "ai-search-planner",
    "akbe",
    "deep-eyes-v2",
    "dr-venus",
    "dynamic-planning",
    "flow-grpo",
    "fusion-agent",
    "re-watch-r1",
    "rise-rationale",
    "rlfh",
    "tool-cua",
    "tura",
    "visual-arft",
  ],
  "key-door": [
    "aepo",
    "agen-tracer",
    "arpo",
    "auto-coa",
    "code-gym",
    "hdpo",
    "pilot-rl",
    "polychromic",
    "remote-agent",
    "scaling-inter-rl",
    "slea-rl",
  ],
  form: [
    "cm2",
    "embodied-r1",
    "era",
    "logigen",
    "magrpo",
    "meow-tea-taro",
    "planner-r1",
    "se-gui",
    "simia",
    "slide-rl",
    "ssrl",
    "vl-dac",
    "vla-rft",
  ],
  library: [
    "dual-tune",
    "deep-dx-search",
    "interact-rag",
    "marag-r1",
    "mask-search",
    "sci-researcher",
    "search-self-play",
  ],
  dialogue: ["dia-forge", "midi-tuning", "mua-rl", "persona-mem-v2"],
  diary: ["memory-r1"],
  opinion: ["thumbs-kto", "thumbs-reinforce"],
};

/** Update tests, by literature table. */
const TESTS: { readonly [table in Recipe["literature"]["table"]]: string } = {
  "policy-gradient": "recipe-update.test.ts",
  preference: "preference-update.test.ts",
  imitation: "imitation-update.test.ts",
  merging: "merging-update.test.ts",
  "gradient-free": "writing-update.test.ts",
  feedback: "feedback-update.test.ts",
};

/** Recipes that use neither gradients nor text. */
const EVOLVED = "evolve-update.test.ts";

/** The environment in which a recipe's update is tested. */
export function testedIn(recipeName: string): string {
  const [environment = USUAL] =
    Object.entries(ELSEWHERE).find(([, names]) => names.includes(recipeName)) ?? [];
  return environment;
}

/** The environment, test file and evidence page of a recipe. */
export function recipePlace({ name, literature, stages }: Recipe): RecipePlace {
  const merges = stages.at(-1)?.merging !== null;
  const test = stages.some(({ evolution }) => evolution !== null)
    ? EVOLVED
    : TESTS[merges ? "merging" : literature.table];
  const page = `docs/evidence/learning/${name}.md`;
  const evidenced = evidencedIn(name) ?? testedIn(name);
  return {
    environment: isMeasuredIn(evidenced, stages) ? evidenced : testedIn(name),
    test: `trainer/src/expectations/${test}`,
    evidence: existsSync(join(ROOT, page)) ? page : null,
  };
}

/**
 * Whether an environment measures everything that the rewards of these stages read besides success.
 */
function isMeasuredIn(environment: string, stages: readonly Stage[]): boolean {
  const { measures = [] } = environmentNamed(environment);
  return stages
    .flatMap(({ reward }) => (reward === null ? [] : measuresOf(reward)))
    .every((read) => measures.includes(read));
}

function measuresOf({ reads = [], around = [] }: Measured): readonly EnvironmentMeasure[] {
  return [...reads, ...around.flatMap(measuresOf)];
}

type Measured = {
  readonly part: string;
  readonly reads?: readonly EnvironmentMeasure[];
  readonly around?: readonly Measured[];
};

/** Default error rate of simulated visitors' thumbs, for recipes that need them. */
const VISITOR_NOISE = 0.1;

/**
 * The environment for a recipe's run. Simulated visitors judge if the recipe learns from thumbs or
 * if `noise` is given.
 *
 * @throws WaggleError `INVALID_ARGUMENT` for an unknown environment.
 */
export function recipeEnvironment(
  recipe: Recipe,
  {
    environment,
    noise,
  }: {
    /**
     * Name of a built-in environment, or an environment; default: the one of the recipe's evidence.
     */
    readonly environment?: string | EnvironmentSpec | undefined;
    readonly noise?: number | undefined;
  } = {},
): EnvironmentSpec {
  const tasks =
    typeof environment === "object"
      ? environment
      : environmentNamed(environment ?? recipePlace(recipe).environment);
  const isJudged = noise !== undefined || recipe.literature.table === "feedback";
  return isJudged ? withVisitors(tasks, { noise: noise ?? VISITOR_NOISE }) : tasks;
}

let chosen: ReadonlyMap<string, string> | null = null;

function evidencedIn(name: string): string | undefined {
  chosen ??= new Map(
    (existsSync(CHOSEN)
      ? (JSON.parse(readFileSync(CHOSEN, "utf8")) as {
          recipes: readonly { recipe: string; environment: string }[];
        })
      : { recipes: [] }
    ).recipes.map(({ recipe, environment }) => [recipe, environment]),
  );
  return chosen.get(name);
}
