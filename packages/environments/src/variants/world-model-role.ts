/**
 * An environment that trains a base to act as a world model: calls are the user's messages, tool
 * results the expected answers. The calls are those of the environment's demonstrator.
 */
import type { Observation, TaskReference, ToolCall } from "@waggle/protocol";
import { seededRandom } from "@waggle/protocol";
import type { Demonstrator, EnvironmentSpec, JudgedEnvironment } from "../environment-spec.ts";
import {
  callText,
  resultText,
  WORLD_MODEL_SYSTEM,
  worldModelMessage,
} from "../world-model-text.ts";

/** The model must also learn the consequences of mistakes. */
const MISTAKES = 0.35;

type Asked = { readonly call: ToolCall; readonly answer: string };

const signal = new AbortController().signal;

/** The calls of a rollout and their results; repeated without mistakes if nothing was called. */
async function exchanges(
  spec: EnvironmentSpec,
  task: TaskReference,
  mistakes: number = MISTAKES,
): Promise<readonly Asked[]> {
  const { environment } = spec.create(task);
  const act: Demonstrator = await spec.demonstrator(task, seededRandom(task.seed), mistakes);
  await environment.observe();
  const asked: Asked[] = [];
  let observation: Observation | null = null;
  for (let turn = 0; turn < spec.maxTurns && observation?.terminated !== true; turn += 1) {
    const { text, calls } = act(observation);
    const toolCalls = calls.map((call, i) => ({ id: `${turn}-${i}`, ...call }));
    observation = await environment.step({ text, toolCalls }, signal);
    for (const [i, result] of observation.toolResults.entries()) {
      asked.push({ call: toolCalls[i] as ToolCall, answer: resultText(result) });
    }
  }
  return asked.length === 0 && mistakes > 0 ? exchanges(spec, task, 0) : asked;
}

/** The environment with calls as user messages and tool results as expected answers. */
export function worldModelRole(spec: EnvironmentSpec): EnvironmentSpec {
  return {
    ...spec,
    create: (task) => asking(spec, task),
    demonstrator: async (task) => {
      const left = [...(await exchanges(spec, task))];
      return () => ({ text: left.shift()?.answer ?? "", calls: [] });
    },
  };
}

function asking(spec: EnvironmentSpec, task: TaskReference): JudgedEnvironment {
  let asked: readonly Asked[] = [];
  let at = 0;
  let right = 0;
  const { request } = spec.task(task);
  const question = (): string => {
    const next = asked[at];
    return next === undefined ? "" : worldModelMessage(request, callText(next.call), at === 0);
  };
  return {
    environment: {
      task,
      async observe() {
        asked = await exchanges(spec, task);
        return { system: WORLD_MODEL_SYSTEM, tools: [], userMessage: question() };
      },
      async step({ text }) {
        if (text.trim() === asked[at]?.answer) right += 1;
        at += 1;
        if (at >= asked.length) return { toolResults: [], terminated: true };
        return { toolResults: [], userMessage: question(), terminated: false };
      },
    },
    judge: () => {
      const success = at > 0 && right === at;
      return { reward: right / Math.max(1, at), success, parts: { right, asked: at } };
    },
  };
}
