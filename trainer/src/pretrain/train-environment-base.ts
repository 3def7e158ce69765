/** `train-base --env`: makes the base model of one environment, evaluates it on held-out tasks and writes its card. */
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { judgedRollout } from "@waggle/agent/environments";
import { type EnvironmentSpec, INVENTED_TASKS, unseenPatterns } from "@waggle/environments";
import { type SuccessRate, successRate } from "@waggle/evaluation";
import type { TaskReference, Verification } from "@waggle/protocol";
import { parameterCount } from "@waggle/model";
import type { Option } from "commander";
import { rollOutTasks } from "../evaluation/evaluation.ts";
import { heldOutTask } from "../evaluation/held-out.ts";
import { taskProgress } from "../evaluation/task-progress.ts";
import { samplingAt } from "../evaluation/temperature.ts";
import type { BaseModel } from "../model/base-model.ts";
import { openPolicy } from "../model/open-model.ts";
import { tasksOption } from "../options/shared-options.ts";
import { BASE_CARD, type ToolScores, writeBaseCard } from "./base-card.ts";
import { BASE_RECORD, baseText, leftText } from "./base-training.ts";
import { type ChosenBase, chosenBase } from "./chosen-base.ts";
import { type KeptVerdict, KeptVerdicts } from "./kept-verdicts.ts";
import { type BaseSuccess, kindSuccess } from "./kind-success.ts";
import { isTooWeak, needsWordings, WEAK_BASE_PAGE } from "./weak-base.ts";

export type EnvironmentBaseCommand = ChosenBase & {
  readonly spec: EnvironmentSpec;
  /** Output folder; default: the environment's folder in the cache of bases. */
  readonly out?: string | undefined;
  readonly bases: string;
  /** Number of held-out tasks in the evaluation, and the most with tools never seen. */
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

/** Which held-out tasks, and how. */
type Stage = "greedy" | "sampled" | "tools";

/** What was measured before the stop, with its counts, and how to go on. */
function stoppedText({ greedy, sampled }: Partial<BaseSuccess>): string {
  const found = [
    ...(greedy === undefined ? [] : [`${percent(greedy)} of ${greedy.trials} tasks greedily`]),
    ...(sampled === undefined ? [] : [`${percent(sampled)} of ${sampled.trials} sampled`]),
  ];
  const soFar = found.length === 0 ? "" : ` It solves ${found.join(" and ")} so far.`;
  return `stopped; the base and what was measured are kept.${soFar} Run the same command again to go on, or with fewer --tasks`;
}

/** Most held-out tasks with invented tools. */
const MOST_TOOL_TASKS = 100;

/** `--tasks` of the commands that make a base. */
export function baseTasksOption(): Option {
  return tasksOption(
    400,
    `held-out tasks to play greedily and then sampled; a base that goes on from a model also plays as many with tools never seen, at most ${MOST_TOOL_TASKS}`,
  );
}

const TEMPERATURES: Readonly<Record<Stage, number>> = { greedy: 0, sampled: 1, tools: 0 };

/** Makes the base unless the folder has it, and prints its success. */
export async function trainEnvironmentBase(
  options: EnvironmentBaseCommand,
  write: { readonly out: (line: string) => void; readonly error: (line: string) => void },
  signal: AbortSignal,
): Promise<void> {
  const { spec, steps, seed, mistakes, habits, from, saveEvery, tensorboard, json } = options;
  const folder = options.out ?? join(options.bases, spec.name);
  const verdictFile = `${folder}.measured.jsonl`;
  if (options.resume === false) {
    for (const begun of [`${folder}.unfinished`, verdictFile]) {
      await rm(begun, { recursive: true, force: true });
    }
  }
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
  const kept = new KeptVerdicts(verdictFile, model.reference.sha256);
  // A base that started from random weights knows only the tools of its environment.
  const toolTasks = from === undefined ? 0 : Math.min(options.tasks, MOST_TOOL_TASKS);
  const counts = { greedy: options.tasks, sampled: options.tasks, tools: toolTasks };
  const keptOf = (stage: Stage): readonly KeptVerdict[] => kept.of(stage, counts[stage]);
  const tasks = counts.greedy + counts.sampled + counts.tools;
  const before = keptOf("greedy").length + keptOf("sampled").length + keptOf("tools").length;
  if (!json && before > 0) {
    write.error(
      `the measurement goes on after ${before} of ${tasks} tasks; --no-resume begins it again, after a change of verify for instance`,
    );
  } else if (!json && existsSync(join(folder, BASE_CARD))) {
    write.error("the base is there already; it is measured again");
  }
  const onTask = taskProgress(tasks - before, (count, secondsLeft) => {
    const done = before + count;
    write.error(
      json
        ? JSON.stringify({ event: "evaluation", done, tasks, secondsLeft })
        : `base of ${spec.name}, held-out tasks  ${done}/${tasks}${leftText(secondsLeft)}`,
    );
  });
  const references = Array.from({ length: options.tasks }, (_, i) => heldOutTask(spec, i));
  const isUnseen = unseenPatterns(spec, references);
  const verdicts = async (
    of: EnvironmentSpec,
    list: readonly TaskReference[],
    stage: Stage,
  ): Promise<KeptVerdict[]> => {
    const places = [...list.keys()].filter((place) => kept.at(stage, place) === undefined);
    await verified(of, model, list, places, TEMPERATURES[stage], signal, (place, verdict) => {
      kept.add(stage, place, verdict);
      onTask();
    }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
      const rates = {
        ...rateIn("greedy", keptOf("greedy")),
        ...rateIn("sampled", keptOf("sampled")),
      };
      write.error(json ? JSON.stringify({ event: "stopped", ...rates }) : stoppedText(rates));
      throw error;
    });
    return list.map((_, place) => kept.at(stage, place) as KeptVerdict);
  };
  const successes = async (stage: "greedy" | "sampled"): Promise<boolean[]> =>
    (await verdicts(spec, references, stage)).map(({ success }) => success);
  const atZero = await successes("greedy");
  const atOne = await successes("sampled");
  const greedy = successRate(atZero);
  const sampled = successRate(atOne);
  const ofUnseen = (outcomes: readonly boolean[]): SuccessRate =>
    successRate(outcomes.filter((_, i) => isUnseen[i]));
  const unseen = isUnseen.includes(true)
    ? { greedy: ofUnseen(atZero), sampled: ofUnseen(atOne) }
    : null;
  const kinds = kindSuccess(spec, references, { greedy: atZero, sampled: atOne });
  const tools = toolTasks === 0 ? null : await toolScores(toolTasks, verdicts);
  const measures = { success: { greedy, sampled }, unseen, kinds, tools };
  kept.remove();
  // A model that a user put there has a card of its own, or none.
  if (existsSync(join(folder, BASE_RECORD))) {
    await writeBaseCard(folder, spec, { recipe, model, from }, measures);
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
          kinds,
          tools,
        })
      : `${folder}: ${parameters} parameters; solves ${percent(sampled)} of ${options.tasks} held-out tasks of ${spec.name}, ${percent(greedy)} greedily${unseenText(unseen)}${toolText(tools)}`,
  );
  if (json) return;
  for (const [kind, { greedy: at0, sampled: at1 }] of Object.entries(kinds ?? {})) {
    write.out(`  ${kind}: ${percent(at1)} of ${at1.trials} tasks, ${percent(at0)} greedily`);
  }
  if (isTooWeak([greedy.rate, sampled.rate])) write.error(tooWeak(from !== undefined));
  else if (unseen !== null && needsWordings(unseen, { greedy, sampled })) {
    write.error(TOO_FEW_WORDINGS);
  }
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
    stage: Stage,
  ) => Promise<readonly KeptVerdict[]>,
): Promise<ToolScores> {
  const tasks = Array.from({ length: count }, (_, i) => heldOutTask(INVENTED_TASKS, i));
  const found = await verdicts(INVENTED_TASKS, tasks, "tools");
  const rate = (part: string) => successRate(found.map(({ parts }) => Boolean(parts[part])));
  return { tool: rate("tool"), arguments: rate("arguments") };
}

/** Rolls out the tasks at these places with the limits and the grammar of a page. */
async function verified(
  spec: EnvironmentSpec,
  model: BaseModel,
  references: readonly TaskReference[],
  places: readonly number[],
  temperature: number,
  signal: AbortSignal,
  onVerdict: (place: number, verdict: Verification) => void,
): Promise<void> {
  if (places.length === 0) return;
  const policy = await openPolicy(model);
  try {
    await rollOutTasks({
      tasks: places.map((place) => ({
        place,
        task: references[place] as TaskReference,
        seed: place,
      })),
      rollOut: async ({ place, task, seed }, sampling) => {
        const parts = { policy, format: model.format, sampling, environments: [spec] };
        const { verification } = await judgedRollout(parts, task, seed, signal);
        onVerdict(place, verification);
      },
      sampling: samplingAt(temperature),
      signal,
    });
  } finally {
    await policy.dispose();
  }
}

/** The rate under its name; nothing without verdicts. */
function rateIn(
  stage: "greedy" | "sampled",
  verdicts: readonly KeptVerdict[],
): Partial<BaseSuccess> {
  if (verdicts.length === 0) return {};
  return { [stage]: successRate(verdicts.map(({ success }) => success)) };
}

function percent({ rate }: SuccessRate): string {
  return `${(100 * rate).toFixed(1)} %`;
}
