/** An environment in place of another: its members but for those that a wrapper changes. */
import type { Action, Environment, ToolResult } from "@waggle/protocol";
import type { JudgedEnvironment } from "../environment-spec.ts";

/** Puts something around an environment; its verifier goes on judging what was done inside. */
export type EnvironmentWrapper = (instance: JudgedEnvironment) => JudgedEnvironment;

/** The same instance with these members in place of its environment's. */
export function within(
  instance: JudgedEnvironment,
  change: Partial<Omit<Environment, "task">>,
): JudgedEnvironment {
  const { environment } = instance;
  return {
    ...instance,
    environment: {
      task: environment.task,
      observe: () => environment.observe(),
      step: (action, signal) => environment.step(action, signal),
      ...change,
    },
  };
}

/** Every call failed with this message. */
export function failedCalls({ toolCalls }: Action, message: string): ToolResult[] {
  return toolCalls.map(({ id }) => ({
    callId: id,
    ok: false,
    error: { code: "TOOL_FAILED", message },
  }));
}
