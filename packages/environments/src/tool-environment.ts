/**
 * An environment made of tools and text: it runs calls on a state and passes turns without calls to the
 * task. Single-use, like every environment. It does not judge.
 */
import type { Environment, Task, ToolResult } from "@waggle/protocol";
import { WaggleError } from "@waggle/protocol";
import { definitionsOf, type RunnableTools, runTool, toolResult } from "./runnable-tool.ts";

/** The task, its tools and its state. */
export type ToolEnvironmentOptions<C> = {
  readonly task: Task;
  readonly tools: RunnableTools<C>;
  readonly state: C;
  /** Called for a turn without calls. Returns the user's reply, or `null` to end the task. */
  readonly answer?: (text: string, state: C) => string | null;
  /** Called after each turn with calls. Returning true ends the task. */
  readonly afterCalls?: (state: C) => boolean;
};

/** Creates an environment that ends with the first turn without calls, unless `answer` or `afterCalls` decide otherwise. */
export function createToolEnvironment<C>(options: ToolEnvironmentOptions<C>): Environment {
  const { task, tools, state, answer = () => null, afterCalls = () => false } = options;
  let phase: "new" | "running" | "ended" = "new";
  const requirePhase = (wanted: typeof phase): void => {
    if (phase === wanted) return;
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `the environment is ${phase}, not ${wanted}; environments are single-use: observe once, step until terminated`,
    );
  };
  const { environment, seed, split } = task;
  return {
    task: { environment, seed, split },
    async observe() {
      requirePhase("new");
      phase = "running";
      return {
        system: task.system,
        tools: definitionsOf(tools, "page"),
        userMessage: task.request,
      };
    },
    async step({ text, toolCalls }) {
      requirePhase("running");
      if (toolCalls.length === 0) {
        const userMessage = answer(text, state);
        if (userMessage !== null) return { toolResults: [], userMessage, terminated: false };
        phase = "ended";
        return { toolResults: [], terminated: true };
      }
      const toolResults: ToolResult[] = [];
      // Sequential, because the calls of a turn act on one state.
      for (const call of toolCalls) {
        toolResults.push(
          await toolResult(call, () => runTool(tools, call.name, call.arguments, state)),
        );
      }
      if (afterCalls(state)) phase = "ended";
      return { toolResults, terminated: phase === "ended" };
    },
  };
}
