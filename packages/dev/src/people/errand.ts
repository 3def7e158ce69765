/**
 * One task of an environment in the hands of a person or of the site's backend: its state, which calls change, and what the
 * person says next. Only the person asks for the verdict.
 */
import type { EnvironmentSpec, JudgedEnvironment } from "@waggle/environments";
import type { FirstObservation, TaskReference, ToolCall } from "@waggle/protocol";

/** A call of a tool, as a page makes it. */
export type SiteCall = Pick<ToolCall, "name" | "arguments">;

/** What errands need of an environment. */
export type ErrandSpec = Pick<EnvironmentSpec, "name" | "maxTurns" | "create">;

/** A task that has begun. */
export type Errand = {
  /** What the site shows first: its prompt, its tools and the person's first message. */
  readonly first: FirstObservation;
  /** Runs a call. @throws Error with the tool's own message. */
  readonly call: (call: SiteCall) => Promise<unknown>;
  /** Reads the assistant's text. @returns the person's next message; `null` if the task is over. */
  readonly reply: (text: string) => Promise<string | null>;
  /** @param text - the assistant's last text; `null` if it was cut before it answered. @returns whether the wish is fulfilled */
  readonly isFulfilled: (text: string | null) => Promise<boolean>;
};

/** Begins the task that the reference names. */
export async function openErrand(spec: ErrandSpec, reference: TaskReference): Promise<Errand> {
  const { environment, judge }: JudgedEnvironment = spec.create(reference);
  const { signal } = new AbortController();
  let calls = 0;
  let isOver = false;
  return {
    first: await environment.observe(),
    async call({ name, arguments: args }) {
      const call = { id: `call-${(calls += 1)}`, name, arguments: args };
      const step = await environment.step({ text: "", toolCalls: [call] }, signal);
      isOver = step.terminated;
      const [result] = step.toolResults;
      if (result?.ok) return result.value;
      throw new Error(result?.error.message ?? "no result");
    },
    async reply(text) {
      // A call may end a task, and then nothing can follow.
      if (isOver) return null;
      const said = await environment.step({ text, toolCalls: [] }, signal);
      isOver = said.terminated;
      return isOver ? null : (said.userMessage ?? null);
    },
    isFulfilled: async (text) => (await judge(text)).success,
  };
}
