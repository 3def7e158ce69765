/** Waits only once for a tool that hangs. Checks play hundreds of rollouts, and each would wait until the time limit. */
import type { EnvironmentSpec } from "@waggle/environments";
import { type ToolCall, WaggleError } from "@waggle/protocol";
import { brokenLimit, timeoutOf } from "../../../broken-limit.ts";
import { placeOf } from "./check-context.ts";

/** An environment that does not call a tool again after the tool took too long. */
export type TimeoutWatch = {
  /** A turn that calls such a tool throws `TOOL_FAILED`, from the first timeout on. */
  readonly spec: EnvironmentSpec;
  /** `search gave no result within 5000 ms at seed 7, train, level 0`; `null` if every call ended in time. */
  readonly timeout: () => string | null;
};

/** Watches the calls of every rollout in the environment. */
export function watchTimeouts(spec: EnvironmentSpec): TimeoutWatch {
  let first: string | null = null;
  /** The message for each tool that took too long. */
  const broken = new Map<string, string>();
  const requireInTime = (toolCalls: readonly ToolCall[]): void => {
    for (const { name } of toolCalls) {
      const message = broken.get(name);
      if (message !== undefined) throw new WaggleError("TOOL_FAILED", message);
    }
  };
  return {
    timeout: () => first,
    spec: {
      ...spec,
      create: (reference) => {
        const { environment, ...others } = spec.create(reference);
        return {
          ...others,
          environment: {
            task: environment.task,
            observe: () => environment.observe(),
            step: async (action, signal) => {
              requireInTime(action.toolCalls);
              const seen = await environment.step(action, signal);
              const place = placeOf(spec, reference);
              for (const [i, result] of seen.toolResults.entries()) {
                const tool = action.toolCalls[i]?.name ?? "a tool";
                const timeout = timeoutOf(tool, result, place);
                if (timeout === null) continue;
                first ??= timeout;
                broken.set(tool, brokenLimit(tool, result, place) ?? timeout);
              }
              requireInTime(action.toolCalls);
              return seen;
            },
          },
        };
      },
    },
  };
}
