/** `train-base --env`: makes the base model of one environment, evaluates it on held-out tasks and writes its card. */
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { judgedRollout } from "@waggle/agent/environments";
import { type EnvironmentSpec, INVENTED_TASKS, unseenPatterns } from "@waggle/environments";
import { type SuccessRate, successRate } from "@waggle/evaluation";
import type { TaskReference, Verification } from "@waggle/protocol";
import { parameterCount } from "@waggle/model";
import { rollOutTasks } from "../evaluation/evaluation.ts";
import { heldOutTask } from "../evaluation/held-out.ts";
import { taskProgress } from "../evaluation/task-progress.ts";
import { samplingAt } from "../evaluation/temperature.ts";
import type { BaseModel } from "../model/base-model.ts";
import { openPolicy } from "../model/open-model.ts";
import { BASE_CARD, type BaseSuccess, type ToolScores, writeBaseCard } from "./base-card.ts";
import { BASE_RECORD, baseText, leftText } from "./base-training.ts";
import { type ChosenBase, chosenBase } from "./chosen-base.ts";
import { isTooWeak, WEAK_BASE_PAGE } from "./weak-base.ts";

export type EnvironmentBaseCommand = ChosenBase & {
  readonly spec: EnvironmentSpec;
  /** Output folder; default: the environment's folder in the cache of bases. */
  readonly out?: string | undefined;
  readonly bases: string;
  /** Number of held-out tasks in the evaluation. */
  readonly tasks: number;
  readonly resume?: boolean | undefined;
  readonly saveEvery: number;
  readonly tensorboard: boolean;
  readonly json: boolean;
};

/** @param isFromModel - whether the base goes on from a model already. */
function tooWeak(isFromModel: boolean): string {
  const start = isFromModel
    ? ""
    : 'Start from the default model with base.from "default" (--from default), or ';
  const fewer = `${isFromModel ? "Start" : "start"} with fewer kinds of requests and fewer values`;
  return (
    "warning: this base solves almost nothing, so the loop has little to learn from, and visitors get nonsense. " +
    `${start}${fewer}, or try more base.steps; see ${WEAK_BASE_PAGE}`
  );
}

const TOO_FEW_WORDINGS =
  "warning: this base solves few tasks whose wording is not in training, and people use wordings of their own. " +
  `Give each kind of request more wordings; see ${WEAK_BASE_PAGE}`;

const STOPPED_MEASURING =
  "stopped; the base is kept, but not measured: run the same command again to measure it, or with fewer --tasks";

const KEPT_CARD = "stopped; the base and its model card are kept";

/** Whether the success at some tasks is less than half of that at all. Few tasks say nothing. */
function isWeakAt(some: SuccessRate, all: SuccessRate): boolean {
  return some.trials >= 20 && some.rate < all.rate / 2;
}

/** Held-out tasks with invented tools. */
const TOOL_TASKS = 100;

/** Makes the base unless the folder has it, and prints its success. */
export async function trainEnvironmentBase(
  options: EnvironmentBaseCommand,
  write: { readonly out: (line: string) => void; readonly error: (line: string) => void },
  signal: AbortSignal,
): Promise<void> {
  const { spec, steps, seed, mistakes, habits, from, saveEvery, tensorboard, json } = options;
  const folder = options.out ?? join(options.bases, spec.name);
  if (options.resume === false) await rm(`${folder}.unfinished`, { recursive: true, force: true });
  const chosen = { from, steps, seed, mistakes, habits };
  const making = chosenBase(spec, folder, chosen, {
    onDiscard: (step) => {
      if (json) write.error(JSON.stringify({ event: "discarded", step }));
      else write.error(`the unfinished base had other settings; its ${step} steps are discarded`);
    },
    onProgress: (progress) =>
      write.error(
        json ? JSON.stringify({ event: "base", ...progress }) : baseText(spec.name, progress),
      ),
    signal,
    saveEvery,
    tensorboard,
  });
  const { model, recipe } = await making.catch((error: unknown) => {
    if (signal.aborted && !json) write.error("stopped; run the same command again to resume");
    throw error;
  });
  const isMeasured = existsSync(join(folder, BASE_CARD));
  if (isMeasured && !json) write.error("the base is there already; it is measured again");
  // A base that started from random weights knows only the tools of its environment.
  const toolTasks = from === undefined ? 0 : TOOL_TASKS;
  const tasks = 2 * options.tasks + toolTasks;
  const onTask = taskProgress(tasks, (done, secondsLeft) =>
    write.error(
      json
        ? JSON.stringify({ event: "evaluation", done, tasks, secondsLeft })
        : `base of ${spec.name}, held-out tasks  ${done}/${tasks}${leftText(secondsLeft)}`,
    ),
  );
  const references = Array.from({ length: options.tasks }, (_, i) => heldOutTask(spec, i));
  const isUnseen = unseenPatterns(spec, references);
  const verdicts = (of: EnvironmentSpec, list: readonly TaskReference[], temperature: number) =>
    verified(of, model, list, temperature, onTask, signal).catch((error: unknown) => {
      if (signal.aborted && !json) write.error(isMeasured ? KEPT_CARD : STOPPED_MEASURING);
      throw error;
    });
  const successes = async (temperature: number): Promise<boolean[]> =>
    (await verdicts(spec, references, temperature)).map(({ success }) => success);
  const atZero = await successes(0);
  const atOne = await successes(1);
  const greedy = successRate(atZero);
  const sampled = successRate(atOne);
  const ofUnseen = (outcomes: readonly boolean[]): SuccessRate =>
    successRate(outcomes.filter((_, i) => isUnseen[i]));
  const unseen = isUnseen.includes(true)
    ? { greedy: ofUnseen(atZero), sampled: ofUnseen(atOne) }
    : null;
  const tools = toolTasks === 0 ? null : await toolScores(toolTasks, verdicts);
  // A model that a user put there has a card of its own, or none.
  if (existsSync(join(folder, BASE_RECORD))) {
    await writeBaseCard(folder, spec, { recipe, model }, { greedy, sampled }, unseen, tools);
  }
  const parameters = parameterCount(model.config);
  write.out(
    json
      ? JSON.stringify({
          folder,
          environment: spec.name,
          parameters,
          greedy,
          sampled,
          unseen,
          tools,
        })
      : `${folder}: ${parameters} parameters; solves ${percent(sampled)} of ${options.tasks} held-out tasks of ${spec.name}, ${percent(greedy)} greedily${unseenText(unseen)}${toolText(tools)}`,
  );
  if (json) return;
  if (isTooWeak([greedy.rate, sampled.rate])) write.error(tooWeak(from !== undefined));
  else if (unseen !== null && isWeakAt(unseen.sampled, sampled)) write.error(TOO_FEW_WORDINGS);
}

function unseenText(unseen: BaseSuccess | null): string {
  if (unseen === null) return "";
  const { greedy, sampled } = unseen;
  return `; of the ${sampled.trials} whose wording is not in training ${percent(sampled)}, ${percent(greedy)} greedily`;
}

function toolText(tools: ToolScores | null): string {
  if (tools === null) return "";
  return `; of ${tools.tool.trials} tasks with tools never seen it chooses the right tool in ${percent(tools.tool)}, with the right arguments in ${percent(tools.arguments)}`;
}

/** Greedily, on held-out tasks with invented tools. */
async function toolScores(
  count: number,
  verdicts: (
    spec: EnvironmentSpec,
    tasks: readonly TaskReference[],
    temperature: number,
  ) => Promise<readonly Verification[]>,
): Promise<ToolScores> {
  const tasks = Array.from({ length: count }, (_, i) => heldOutTask(INVENTED_TASKS, i));
  const found = await verdicts(INVENTED_TASKS, tasks, 0);
  const rate = (part: string) => successRate(found.map(({ parts }) => Boolean(parts[part])));
  return { tool: rate("tool"), arguments: rate("arguments") };
}

/** Rolls out with the limits and the grammar of a page. */
async function verified(
  spec: EnvironmentSpec,
  model: BaseModel,
  references: readonly TaskReference[],
  temperature: number,
  onTask: () => void,
  signal: AbortSignal,
): Promise<Verification[]> {
  const policy = await openPolicy(model);
  try {
    const rollouts = await rollOutTasks({
      tasks: references.map((task, i) => ({ place: i, task, seed: i })),
      rollOut: async ({ task, seed }, sampling) => {
        const parts = { policy, format: model.format, sampling, environments: [spec] };
        const rollout = await judgedRollout(parts, task, seed, signal);
        onTask();
        return rollout;
      },
      sampling: samplingAt(temperature),
      signal,
    });
    return rollouts.map(({ verification }) => verification);
  } finally {
    await policy.dispose();
  }
}

function percent({ rate }: SuccessRate): string {
  return `${(100 * rate).toFixed(1)} %`;
}
