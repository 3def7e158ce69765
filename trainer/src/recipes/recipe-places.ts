/**
 * Where what is said of a recipe can be seen: the environment that its runs or else its test look at,
 * the file of that test, and the page of its evidence. A reward that reads what few environments measure
 * is looked at where it is measured. A test holds this against the expectations
 * themselves.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { environmentNamed, type EnvironmentSpec, withVisitors } from "@waggle/environments";
import type { EnvironmentMeasure, Recipe, Stage } from "@waggle/learning";

export type RecipePlace = {
  /** Name of the environment. */
  readonly environment: string;
  /** Paths from the repository's root; no page before its runs. */
  readonly test: string;
  readonly evidence: string | null;
};

const ROOT = join(import.meta.dirname, "../../..");
/** What was chosen before the runs, where they are kept. */
const CHOSEN = join(ROOT, "docs/evidence/learning/expectations.json");

/** The tool that fails now and then shows most of what papers do. */
const USUAL = "calculator";

/** What shows elsewhere only: where calls cost, ways are long, or turns and users are judged apart. */
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

/** Update tests, by the table of the literature. */
const TESTS: { readonly [table in Recipe["literature"]["table"]]: string } = {
  "policy-gradient": "recipe-update.test.ts",
  preference: "preference-update.test.ts",
  imitation: "imitation-update.test.ts",
  merging: "merging-update.test.ts",
  "gradient-free": "writing-update.test.ts",
  feedback: "feedback-update.test.ts",
};

/** Without a gradient and without text. */
const EVOLVED = "evolve-update.test.ts";

/** The environment that a recipe's update is checked in. */
export function testedIn(recipeName: string): string {
  const [environment = USUAL] =
    Object.entries(ELSEWHERE).find(([, names]) => names.includes(recipeName)) ?? [];
  return environment;
}

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

/** Whether an environment measures what the rewards of these stages read beside the verdict. */
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

/** Share of thumbs that are wrong where a recipe needs simulated visitors and nobody says how good. */
const VISITOR_NOISE = 0.1;

/**
 * The environment that a recipe runs in. Simulated visitors judge where the recipe learns from their thumbs, and
 * where `noise` is given.
 *
 * @throws WaggleError `INVALID_ARGUMENT` for an environment that there is not.
 */
export function recipeEnvironment(
  recipe: Recipe,
  {
    environment,
    noise,
  }: {
    /** A name of the built-in ones, or the environment; default the one of the recipe's evidence. */
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
