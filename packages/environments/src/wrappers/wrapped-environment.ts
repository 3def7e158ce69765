/** Building blocks of environment wrappers. */
import type { Action, Environment, ToolResult } from "@waggle/protocol";
import type { JudgedEnvironment } from "../environment-spec.ts";

/** Wraps an environment. Its verifier still judges what happened inside. */
export type EnvironmentWrapper = (instance: JudgedEnvironment) => JudgedEnvironment;

/** The instance with some members of its environment replaced. */
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

/** A failed result with this message for every call. */
export function failedCalls({ toolCalls }: Action, message: string): ToolResult[] {
  return toolCalls.map(({ id }) => ({
    callId: id,
    ok: false,
    error: { code: "TOOL_FAILED", message },
  }));
}
