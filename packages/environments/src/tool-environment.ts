/**
 * An environment made of tools and text: it runs calls on a state and passes turns without calls to the
 * task. Single-use, like every environment. It does not judge.
 */
import type { Environment, Task } from "@waggle/protocol";
import { definitionsOf, type RunnableTools, runTool, toolResult } from "./runnable-tool.ts";
import { createTurnEnvironment } from "./turn-environment.ts";

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
  return createTurnEnvironment({
    task,
    begin: () => ({
      system: task.system,
      tools: definitionsOf(tools, "page"),
      userMessage: task.request,
    }),
    run: (call) => toolResult(call, () => runTool(tools, call.name, call.arguments, state)),
    reply: (text) => answer(text, state),
    isOver: () => afterCalls(state),
  });
}
