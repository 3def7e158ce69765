/**
 * A task to try by hand: the assistant's tools act on its state until another task is drawn. Its verdict stays in this
 * page.
 */
import type { PageTool } from "@waggle/embed";
import type { EnvironmentSpec, JudgedEnvironment, Judgment } from "@waggle/environments";
import type { TaskReference } from "@waggle/protocol";

/** One sample task at a time. */
export type SampleTask = {
  readonly system: string;
  readonly tools: readonly PageTool[];
  /** What a visitor would ask in the current task. */
  readonly request: () => string;
  /** Draws another task, which starts from a new state. Default: the next training task. */
  readonly next: (reference?: TaskReference) => Promise<void>;
  /** Ends a turn with the assistant's text. @returns the visitor's next message; `null` if the task has ended */
  readonly reply: (text: string) => Promise<string | null>;
  /** @param finalText - the assistant's last text; `null` if it was cut before it answered. */
  readonly judge: (finalText: string | null) => Promise<Judgment>;
};

/** Starts with the first training task. */
export async function createSampleTask(spec: EnvironmentSpec): Promise<SampleTask> {
  let [seed, calls] = [0, 0];
  let current: JudgedEnvironment;
  let request = "";
  let isOver = false;
  const nextReference = () => spec.reference(seed, "train", seed % spec.levels);
  const open = async (reference: TaskReference) => {
    current = spec.create(reference);
    isOver = false;
    const first = await current.environment.observe();
    request = first.userMessage;
    return first;
  };
  const run = async (
    name: string,
    args: { readonly [key: string]: unknown },
    signal: AbortSignal,
  ): Promise<unknown> => {
    const call = { id: `call-${(calls += 1)}`, name, arguments: args };
    const action = { text: "", toolCalls: [call] };
    const { toolResults, terminated } = await current.environment.step(action, signal);
    isOver = terminated;
    const [result] = toolResults;
    if (result?.ok) return result.value;
    throw new Error(result?.error.message ?? "no result");
  };
  const { system, tools } = await open(nextReference());
  return {
    system,
    tools: tools.map(({ name, description, parameters }) => ({
      name,
      description,
      parameters,
      run: (args, { signal }) => run(name, args, signal),
    })),
    request: () => request,
    async next(reference) {
      if (reference === undefined) seed += 1;
      await open(reference ?? nextReference());
    },
    async reply(text) {
      // A call may end a task, and then nothing can follow.
      if (isOver) return null;
      const { signal } = new AbortController();
      const said = await current.environment.step({ text, toolCalls: [] }, signal);
      isOver = said.terminated;
      return isOver ? null : (said.userMessage ?? null);
    },
    async judge(finalText) {
      return current.judge(finalText);
    },
  };
}
