/**
 * Names from the literature for the order of stages. A name is a claim that is checked when a recipe is
 * created: `sft-rl` imitates tokens first and learns from rewards last.
 */
import { WaggleError } from "@waggle/protocol";
import type { Stage } from "./stage.ts";

/** Name of the order in which a recipe runs its stages. */
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

/** The sequences to check: the stages, or each member chain if the recipe only merges. */
function chainsOf(stages: readonly Stage[]): readonly (readonly Stage[])[] {
  return (stages.length === 1 ? stages[0]?.merging?.members : undefined) ?? [stages];
}

/** The stages that train the policy; stages that train a reward model before it do not count. */
function ofPolicy(stages: readonly Stage[]): readonly Stage[] {
  const own = stages.filter(({ trains }) => trains !== "rm" && trains !== "iprm");
  return own.length === 0 ? stages : own;
}

/** The condition behind each name. */
const ARRANGEMENTS: { readonly [name in ArrangementName]: Check } = {
  /** One stage. */
  one: (stages) => ofPolicy(stages).length === 1,
  /** Only supervised fine-tuning. */
  sft: (stages) =>
    stages.length > 0 && ofPolicy(stages).every((stage) => stage.learns === "tokens"),
  /** Supervised cold start, then reinforcement learning. */
  "sft-rl": (stages) => stages[0]?.learns === "tokens" && stages.at(-1)?.learns === "rewards",
  /** Alternating rounds of generation and training. */
  rounds: (_, rounds) => rounds > 1,
  /** Several stages, of any kind. */
  stages: (stages) => stages.length > 1,
  /** Single skills first, then whole tasks. */
  "skill-first": (stages) => stages.length > 1,
  /** Two alternating updates. */
  alternate: (stages, rounds) => stages.length === 2 && rounds > 1,
  /** Stored trajectories first, then rollouts in the environment. */
  "offline-online": (stages) =>
    stages.length > 1 &&
    stages[0]?.rollout.part === "log" &&
    stages.slice(1).some(({ rollout }) => rollout.part !== "log"),
  /** Supervised fine-tuning, then preference learning. */
  "sft-pref": (stages) => learns(stages, "tokens", "pairs"),
  /** Supervised fine-tuning, then fine-tuning on verified rollouts. */
  "sft-rft": (stages) => learns(stages, "tokens", "tokens"),
  /** Cold start, reinforcement learning, then fine-tuning on its rollouts. */
  "sft-rl-rft": (stages) => learns(stages, "tokens", "rewards", "tokens"),
  /** Models trained separately are merged at the end. */
  "post-merge": (stages) => stages.at(-1)?.learns === "merges",
  /** Specialists are trained by reinforcement learning from the same start and merged at the end. */
  "specialist-merge": (stages) => {
    const members = stages.at(-1)?.merging?.members ?? [];
    return members.length > 1 && members.every((chain) => chain.at(-1)?.learns === "rewards");
  },
  /** Only continued pretraining. */
  cpt: (stages) => stages.length > 0 && stages.every(isPlain),
  /** One budget of steps is divided between imitation and reinforcement learning. */
  "budget-split": (stages) =>
    stages[0]?.learns === "tokens" &&
    stages.slice(1).some(({ learns: kind }) => kind === "rewards"),
  /** The turns that enter the loss change from stage to stage. */
  "mask-stages": (stages) =>
    stages.length > 1 &&
    stages.every(({ losses }) => losses.some(({ loss }) => loss.part === "span-mask")),
  /** Each round trains on tasks chosen by the errors of the round before. */
  flywheel: (stages, rounds) =>
    rounds > 1 &&
    stages.some(({ filters }) => filters.some(({ chooseTasks }) => chooseTasks !== undefined)),
  "cpt-sft": (stages) => isPlain(stages[0]) && learns(stages, "tokens", "tokens"),
  /** Followed by adaptation in deployment. */
  "cpt-sft-rl": (stages) =>
    isPlain(stages[0]) &&
    learns(stages.slice(0, 3), "tokens", "tokens", "rewards") &&
    stages.slice(3).every(isDeployed),
  /** The last stage learns from recorded trajectories. */
  "deploy-adapt": (stages) => stages.length > 1 && isDeployed(stages.at(-1)),
  "cpt-sft-pref": (stages) =>
    chainsOf(stages).every(
      (chain) => isPlain(chain[0]) && learns(chain, "tokens", "tokens", "pairs"),
    ),
};

export const ARRANGEMENT_NAMES: readonly string[] = Object.keys(ARRANGEMENTS);

/** @throws WaggleError `INVALID_ARGUMENT` if the stages do not match a name. */
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
    `recipe ${recipe} declares the schedule "${wrong}", but its stages are: ${got} (${rounds} round${rounds === 1 ? "" : "s"})`,
  );
}
