/**
 * Splits the first decision of a task into questions: the user first asks which tool to use and with which
 * arguments. The answers are labels to learn; the verifier judges the task as before.
 *
 * Source: AgentPS (a label taken apart into intermediate questions over several rounds). Differs from it: the
 * questions are the same for every task, and the demonstrator gives their labels.
 */
import type { Environment } from "@waggle/protocol";
import type { DemonstratedAction, EnvironmentSpec } from "../environment-spec.ts";

const QUESTIONS = ["First, which tool?", "With what?"] as const;
const THEN = "Now do it.";

export function questioned(spec: EnvironmentSpec): EnvironmentSpec {
  return {
    ...spec,
    maxTurns: spec.maxTurns + QUESTIONS.length,
    task: (reference) => {
      const task = spec.task(reference);
      return { ...task, request: `${task.request} ${QUESTIONS[0]}` };
    },
    create: (reference) => {
      const instance = spec.create(reference);
      return { ...instance, environment: asking(instance.environment) };
    },
    demonstrator: async (reference, random, mistakes) => {
      const act = await spec.demonstrator(reference, random, mistakes);
      const first = act(null);
      let answered = 0;
      return (observation) => {
        answered += 1;
        const label = labelsOf(first)[answered - 1];
        if (label !== undefined) return { text: label, calls: [] };
        return answered === QUESTIONS.length + 1 ? first : act(observation);
      };
    },
  };
}

function labelsOf({ text, calls: [call] }: DemonstratedAction): readonly string[] {
  if (call === undefined) return ["None.", text];
  return [call.name, Object.values(call.arguments).join(" ")];
}

function asking(environment: Environment): Environment {
  let asked = 0;
  return {
    task: environment.task,
    async observe() {
      const first = await environment.observe();
      asked = 1;
      return { ...first, userMessage: `${first.userMessage} ${QUESTIONS[0]}` };
    },
    async step(action, signal) {
      if (asked > QUESTIONS.length) return environment.step(action, signal);
      if (action.toolCalls.length > 0) {
        const toolResults = action.toolCalls.map(({ id }) => ({
          callId: id,
          ok: false as const,
          error: { code: "TOOL_FAILED" as const, message: "answer first" },
        }));
        return { toolResults, terminated: false };
      }
      const userMessage = QUESTIONS[asked] ?? THEN;
      asked += 1;
      return { toolResults: [], userMessage, terminated: false };
    },
  };
}
