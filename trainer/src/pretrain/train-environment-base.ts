/** `train-base --env`: makes the base model of one environment, evaluates it on held-out tasks and writes its card. */
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { environmentRollout } from "@waggle/agent/environments";
import { type EnvironmentSpec, unseenPatterns } from "@waggle/environments";
import { type SuccessRate, successRate } from "@waggle/evaluation";
import type { TaskReference } from "@waggle/protocol";
import { parameterCount } from "@waggle/model";
import { rollOutTasks, successesOf } from "../evaluation/evaluation.ts";
import { heldOutTask } from "../evaluation/held-out.ts";
import { taskProgress } from "../evaluation/task-progress.ts";
import { samplingAt } from "../evaluation/temperature.ts";
import type { BaseModel } from "../model/base-model.ts";
import { openPolicy } from "../model/open-model.ts";
import { type BaseSuccess, writeBaseCard } from "./base-card.ts";
import { BASE_RECORD, baseRecipe, baseText, environmentBase } from "./environment-base.ts";
import { isTooWeak, WEAK_BASE_PAGE } from "./weak-base.ts";

export type EnvironmentBaseCommand = {
  readonly spec: EnvironmentSpec;
  /** Output folder; default: the environment's folder in the cache of bases. */
  readonly out?: string | undefined;
  readonly bases: string;
  /** Default: those of bases that are made on first use. */
  readonly steps?: number | undefined;
  readonly seed?: number | undefined;
  /** Default: that of `baseRecipe`. */
  readonly mistakes?: number | undefined;
  /** Share of demonstrations that always err in the same way, in all patterns. */
  readonly habits?: number | undefined;
  /** Number of held-out tasks in the evaluation. */
  readonly tasks: number;
  readonly resume?: boolean | undefined;
  readonly saveEvery: number;
  readonly tensorboard: boolean;
  readonly json: boolean;
};

const TOO_WEAK =
  "warning: this base solves almost nothing, so the loop has little to learn from, and visitors get nonsense. " +
  `Start with fewer kinds of requests and fewer values, or try more base.steps; see ${WEAK_BASE_PAGE}`;

/** Makes the base unless the folder has it, and prints its success. */
export async function trainEnvironmentBase(
  options: EnvironmentBaseCommand,
  write: { readonly out: (line: string) => void; readonly error: (line: string) => void },
  signal: AbortSignal,
): Promise<void> {
  const { spec, steps, seed, mistakes, habits, saveEvery, tensorboard, json } = options;
  const folder = options.out ?? join(options.bases, spec.name);
  if (options.resume === false) await rm(`${folder}.unfinished`, { recursive: true, force: true });
  const recipe = baseRecipe(spec, { steps, seed, mistakes, habits });
  const model = await environmentBase(
    spec,
    folder,
    recipe,
    (progress) =>
      write.error(
        json ? JSON.stringify({ event: "base", ...progress }) : baseText(spec.name, progress),
      ),
    signal,
    { saveEvery, tensorboard },
  );
  const tasks = 2 * options.tasks;
  const onTask = taskProgress(tasks, (done) =>
    write.error(
      json
        ? JSON.stringify({ event: "evaluation", done, tasks })
        : `base of ${spec.name}, held-out tasks  ${done}/${tasks}`,
    ),
  );
  const references = Array.from({ length: options.tasks }, (_, i) => heldOutTask(spec, i));
  const isUnseen = unseenPatterns(spec, references);
  const atZero = await successes(spec, model, references, 0, onTask, signal);
  const atOne = await successes(spec, model, references, 1, onTask, signal);
  const greedy = successRate(atZero);
  const sampled = successRate(atOne);
  const ofUnseen = (outcomes: readonly boolean[]): SuccessRate =>
    successRate(outcomes.filter((_, i) => isUnseen[i]));
  const unseen = isUnseen.includes(true)
    ? { greedy: ofUnseen(atZero), sampled: ofUnseen(atOne) }
    : null;
  // A model that a user put there has a card of its own, or none.
  if (existsSync(join(folder, BASE_RECORD))) {
    await writeBaseCard(folder, spec, recipe, model, { greedy, sampled }, unseen);
  }
  const parameters = parameterCount(model.config);
  write.out(
    json
      ? JSON.stringify({ folder, environment: spec.name, parameters, greedy, sampled, unseen })
      : `${folder}: ${parameters} parameters; solves ${percent(sampled)} of ${options.tasks} held-out tasks of ${spec.name}, ${percent(greedy)} greedily${unseenText(unseen)}`,
  );
  if (!json && isTooWeak([greedy.rate, sampled.rate])) write.error(TOO_WEAK);
}

function unseenText(unseen: BaseSuccess | null): string {
  if (unseen === null) return "";
  const { greedy, sampled } = unseen;
  return `; of the ${sampled.trials} whose wording is not in training ${percent(sampled)}, ${percent(greedy)} greedily`;
}

async function successes(
  spec: EnvironmentSpec,
  model: BaseModel,
  references: readonly TaskReference[],
  temperature: number,
  onTask: () => void,
  signal: AbortSignal,
): Promise<boolean[]> {
  const policy = await openPolicy(model);
  try {
    const rollouts = await rollOutTasks({
      tasks: references.map((task, i) => ({ place: i, task, seed: i })),
      rollOut: async ({ task, seed }, sampling) => {
        // As in a page.
        const parts = { sampling, seed, constrainToolCalls: true };
        const rollout = await environmentRollout(policy, model.format, spec, task, parts, signal);
        onTask();
        return rollout;
      },
      sampling: samplingAt(temperature),
      signal,
    });
    return successesOf(rollouts);
  } finally {
    await policy.dispose();
  }
}

function percent({ rate }: SuccessRate): string {
  return `${(100 * rate).toFixed(1)} %`;
}
