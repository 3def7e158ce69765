/**
 * How stages follow one another, by the names of the literature. A name is a claim about the stages,
 * checked when a recipe is made: `sft-rl` learns tokens first and rewards last. Not a driver.
 */
import { WaggleError } from "@waggle/protocol";
import type { Stage } from "./stage.ts";

export type ArrangementName =
  | "one"
  | "sft"
  | "sft-rl"
  | "rounds"
  | "stages"
  | "skill-first"
  | "alternate"
  | "offline-online"
  | "sft-pref"
  | "sft-rft"
  | "sft-rl-rft"
  | "post-merge"
  | "specialist-merge"
  | "cpt"
  | "cpt-sft"
  | "cpt-sft-rl"
  | "cpt-sft-pref"
  | "budget-split"
  | "deploy-adapt"
  | "mask-stages"
  | "flywheel";

type Check = (stages: readonly Stage[], rounds: number) => boolean;

const learns = (stages: readonly Stage[], ...wanted: readonly Stage["learns"][]): boolean =>
  stages.length === wanted.length && wanted.every((kind, i) => stages[i]?.learns === kind);
const isDeployed = (stage: Stage | undefined): boolean =>
  stage?.learns === "tokens" && stage.rollout.part === "log";
const isPlain = (stage: Stage | undefined): boolean =>
  stage?.losses.some(({ loss }) => loss.part === "lm") ?? false;

/** What is gone through one after another: the stages, or each chain where all they do is merge some. */
function chainsOf(stages: readonly Stage[]): readonly (readonly Stage[])[] {
  return (stages.length === 1 ? stages[0]?.merging?.members : undefined) ?? [stages];
}

/** Stages of the policy: a model that it asks is made ready before, and not counted. */
function ofPolicy(stages: readonly Stage[]): readonly Stage[] {
  const own = stages.filter(({ trains }) => trains !== "rm" && trains !== "iprm");
  return own.length === 0 ? stages : own;
}

/** What each name says of the stages. */
const ARRANGEMENTS: { readonly [name in ArrangementName]: Check } = {
  /** One stage. */
  one: (stages) => ofPolicy(stages).length === 1,
  /** Supervised fine-tuning alone. */
  sft: (stages) =>
    stages.length > 0 && ofPolicy(stages).every((stage) => stage.learns === "tokens"),
  /** A cold start, then reinforcement. */
  "sft-rl": (stages) => stages[0]?.learns === "tokens" && stages.at(-1)?.learns === "rewards",
  /** Generation and training over and over. */
  rounds: (_, rounds) => rounds > 1,
  /** Several stages of one kind or of different parts. */
  stages: (stages) => stages.length > 1,
  /** Single skills first, whole tasks after. */
  "skill-first": (stages) => stages.length > 1,
  /** Two updates alternate. */
  alternate: (stages, rounds) => stages.length === 2 && rounds > 1,
  /** Stored trajectories first, then the environment. */
  "offline-online": (stages) =>
    stages.length > 1 &&
    stages[0]?.rollout.part === "log" &&
    stages.slice(1).some(({ rollout }) => rollout.part !== "log"),
  /** Fine-tuning, then preferences. */
  "sft-pref": (stages) => learns(stages, "tokens", "pairs"),
  /** Fine-tuning, then tuning on verified rollouts. */
  "sft-rft": (stages) => learns(stages, "tokens", "tokens"),
  /** Cold start, reinforcement, tuning on its rollouts. */
  "sft-rl-rft": (stages) => learns(stages, "tokens", "rewards", "tokens"),
  /** What was learned apart is merged at the end. */
  "post-merge": (stages) => stages.at(-1)?.learns === "merges",
  /** Specialists are reinforced apart, from the same start, and merged at the end. */
  "specialist-merge": (stages) => {
    const members = stages.at(-1)?.merging?.members ?? [];
    return members.length > 1 && members.every((chain) => chain.at(-1)?.learns === "rewards");
  },
  /** Continued pre-training alone. */
  cpt: (stages) => stages.length > 0 && stages.every(isPlain),
  /** Parts of one budget of steps go to imitation and to reinforcement. */
  "budget-split": (stages) =>
    stages[0]?.learns === "tokens" &&
    stages.slice(1).some(({ learns: kind }) => kind === "rewards"),
  /** Which turns carry loss changes from stage to stage. */
  "mask-stages": (stages) =>
    stages.length > 1 &&
    stages.every(({ losses }) => losses.some(({ loss }) => loss.part === "span-mask")),
  /** Each round learns from tasks that the errors of the one before asked for. */
  flywheel: (stages, rounds) =>
    rounds > 1 &&
    stages.some(({ filters }) => filters.some(({ chooseTasks }) => chooseTasks !== undefined)),
  "cpt-sft": (stages) => isPlain(stages[0]) && learns(stages, "tokens", "tokens"),
  /** What comes after is the adaptation where it is deployed. */
  "cpt-sft-rl": (stages) =>
    isPlain(stages[0]) &&
    learns(stages.slice(0, 3), "tokens", "tokens", "rewards") &&
    stages.slice(3).every(isDeployed),
  /** The last stage learns from what was recorded. */
  "deploy-adapt": (stages) => stages.length > 1 && isDeployed(stages.at(-1)),
  "cpt-sft-pref": (stages) =>
    chainsOf(stages).every(
      (chain) => isPlain(chain[0]) && learns(chain, "tokens", "tokens", "pairs"),
    ),
};

export const ARRANGEMENT_NAMES: readonly string[] = Object.keys(ARRANGEMENTS);

/** @throws WaggleError `INVALID_ARGUMENT` where the stages are not what a name says. */
export function requireArrangement(
  recipe: string,
  names: readonly ArrangementName[],
  stages: readonly Stage[],
  rounds: number,
): void {
  const wrong = names.find((name) => !ARRANGEMENTS[name](stages, rounds));
  if (wrong === undefined) return;
  const got = stages.map(({ learns: kind }) => kind).join(", ");
  throw new WaggleError(
    "INVALID_ARGUMENT",
    `the stages of recipe ${recipe} must be ${wrong}, got ${got} in ${rounds} round${rounds === 1 ? "" : "s"}; name what they are`,
  );
}
