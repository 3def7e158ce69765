/**
 * The environment of a task that is tools and words: runs calls on a state, hands a turn without a call
 * to the task. Single-use as every environment. It judges nothing.
 */
import type { Environment, Task, ToolResult } from "@waggle/protocol";
import { WaggleError } from "@waggle/protocol";
import { definitionsOf, type RunnableTools, runTool, toolResult } from "./runnable-tool.ts";

export type ToolEnvironmentOptions<C> = {
  readonly task: Task;
  readonly tools: RunnableTools<C>;
  readonly state: C;
  /** Told of a turn without a call; what it returns is what the user says to it, `null` ends the task. */
  readonly answer?: (text: string, state: C) => string | null;
  /** Told after each turn with calls; true ends the task. */
  readonly afterCalls?: (state: C) => boolean;
};

/** A task that ends with the first turn without a call, unless `answer` or `afterCalls` say otherwise. */
export function createToolEnvironment<C>(options: ToolEnvironmentOptions<C>): Environment {
  const { task, tools, state, answer = () => null, afterCalls = () => false } = options;
  let phase: "new" | "running" | "ended" = "new";
  const requirePhase = (wanted: typeof phase): void => {
    if (phase === wanted) return;
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `an environment must be ${wanted} here, got ${phase}; environments are single-use: observe once, step until terminated`,
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
      // One after the other: calls of one turn act on one state.
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
