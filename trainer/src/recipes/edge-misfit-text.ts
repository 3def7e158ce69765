/**
 * Sentences about what keeps a recipe from training from an edge, for `--list` and for errors. It decides
 * nothing; `edge-recipe.ts` does.
 */
import type { Stage, StateName } from "@waggle/learning";

/** States that an edge lacks; the base is the reference. */
type LackedState = Exclude<StateName, "ref">;

/** What a stage needs for each state. */
const STATES: { readonly [state in LackedState]: string } = {
  critic: "a value head",
  teacher: "a teacher",
  rm: "a reward model",
  iprm: "a process reward model",
  judge: "a judge model",
  "world-model": "a world model",
  corpus: "its own corpus",
  "role-adapters": "an adapter for each role",
  opponents: "stored opponents",
  "slow-copy": "an averaged copy of the policy",
  delta: "changes of earlier stages",
  "fast-weights": "temporary weights",
  "progress-est": "a progress estimator",
  "memory-bank": "a memory",
  "task-stats": "statistics of tasks",
  "good-buffer": "stored successes",
  "rest-buffer": "stored trajectories",
  baseline: "a moving baseline",
  "tree-store": "stored search trees",
  experience: "a library of experience",
  prompts: "a population of prompts",
  cases: "stored cases",
  temperature: "a stored temperature",
  "entropy-strength": "a stored entropy coefficient",
  "kl-coefficient": "a stored KL coefficient",
};

/** `needs a reward model` */
export function stateNeeded(state: LackedState): string {
  return `needs ${STATES[state]}`;
}

/** What a rollout part does that pages do not. */
const ROLLOUTS: { readonly [part: string]: string } = {
  "branch-entropy": "branches rollouts",
  pivot: "branches stored trajectories",
  retry: "repeats failed rollouts",
  "paired-tool": "compares rollouts with and without tools",
  "self-play": "plays against itself",
  "sim-env": "answers its own tool calls",
  "aug-env": "changes the environment",
  "env-random": "changes the environment",
};

/** `branches rollouts (branch-entropy)` */
export function rolloutNeeded(part: string): string {
  return `${ROLLOUTS[part] ?? "needs rollouts that pages do not run"} (${part})`;
}

const LEARNED: { readonly [kind in Exclude<Stage["learns"], "rewards">]: string } = {
  tokens: "learns from tokens",
  pairs: "learns from pairs",
  model: "trains a reward model",
  texts: "writes texts",
  scores: "perturbs parameters",
  merges: "merges models",
};

/** `learns from pairs`, of a stage that does not learn from rewards. */
export function learningNeeded(kind: Exclude<Stage["learns"], "rewards">): string {
  return `${LEARNED[kind]}, not from rewards of rollouts`;
}

const SCHEDULED = {
  maxTurns: "limits the turns of a rollout",
  difficulty: "chooses the difficulty of tasks",
  taskPool: "repeats tasks of a pool",
};

/** `limits the turns of a rollout` */
export function scheduleNeeded(name: keyof typeof SCHEDULED): string {
  return SCHEDULED[name];
}

/** `reward equiv needs branches of a stored turn`, of the error that the reward threw. */
export function rewardNeeded(part: string, message: string): string {
  const [, need = "cannot judge the rollouts of pages"] = /(needs .*?), got/.exec(message) ?? [];
  return `reward ${part} ${need}`;
}

/** `it has 2 rounds; its reward equiv needs branches of a stored turn` */
export function sentence(misfits: readonly string[]): string {
  return misfits.map((one) => (one.startsWith("reward ") ? `its ${one}` : `it ${one}`)).join("; ");
}
