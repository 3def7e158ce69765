/** An environment that ends with the first turn without calls, or when told to, and remembers what it was given. */
import type { Action, ToolCall } from "@waggle/protocol";
import type { JudgedEnvironment } from "../environment-spec.ts";

export const signal: AbortSignal = new AbortController().signal;

/** A turn with calls of these names, or with text alone. */
export function turn(text: string, ...names: readonly string[]): Action {
  return { text, toolCalls: names.map((name, i) => call(name, {}, `c${i}`)) };
}

export function call(name: string, given: ToolCall["arguments"] = {}, id = "c0"): ToolCall {
  return { id, name, arguments: given };
}

type Scripted = JudgedEnvironment & { readonly seen: readonly Action[] };

const TOOL = {
  name: "look",
  description: "Looks.",
  parameters: { type: "object", properties: { at: {}, for: {} }, required: ["at"] },
  source: "page" as const,
};

/** The call `fail` fails; `end` ends the task; the answer "right" is rewarded. */
export function scripted(tools: readonly string[] = ["look"]): Scripted {
  const seen: Action[] = [];
  return {
    seen,
    environment: {
      task: { environment: "scripted", seed: 1, split: "train" },
      observe: async () => ({
        system: "Be good.",
        tools: tools.map((name) => ({ ...TOOL, name })),
        userMessage: "Where?",
      }),
      step: async (action) => {
        seen.push(action);
        return {
          toolResults: action.toolCalls.map(({ id, name }) =>
            name === "fail"
              ? { callId: id, ok: false, error: { code: "TOOL_FAILED", message: "broken" } }
              : { callId: id, ok: true, value: `${name} done` },
          ),
          terminated: action.toolCalls.every(({ name }) => name === "end"),
        };
      },
    },
    judge: (text) => ({
      reward: text === "right" ? 1 : 0,
      success: text === "right",
      parts: { turns: seen.length },
      turnRewards: seen.map(() => 0.1),
    }),
  };
}
