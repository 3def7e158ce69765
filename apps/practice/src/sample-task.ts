/** A task to try by hand: the assistant's tools act on its state until another task is drawn. */
import type { PageTool } from "@waggle/embed";
import type { EnvironmentSpec } from "@waggle/environments";
import type { Environment } from "@waggle/protocol";

/** One sample task at a time. */
export type SampleTask = {
  readonly system: string;
  readonly tools: readonly PageTool[];
  /** What a visitor would ask in the current task. */
  readonly request: () => string;
  /** Draws the next task, which starts from a new state. */
  readonly next: () => Promise<void>;
};

/** Starts with the first training task. */
export async function createSampleTask(spec: EnvironmentSpec): Promise<SampleTask> {
  let [seed, calls] = [0, 0];
  let environment: Environment;
  let request = "";
  const open = async () => {
    const reference = spec.reference(seed, "train", seed % spec.levels);
    environment = spec.create(reference).environment;
    const first = await environment.observe();
    request = first.userMessage;
    return first;
  };
  const run = async (
    name: string,
    args: { readonly [key: string]: unknown },
    signal: AbortSignal,
  ): Promise<unknown> => {
    const call = { id: `call-${(calls += 1)}`, name, arguments: args };
    const { toolResults } = await environment.step({ text: "", toolCalls: [call] }, signal);
    const [result] = toolResults;
    if (result?.ok) return result.value;
    throw new Error(result?.error.message ?? "no result");
  };
  const { system, tools } = await open();
  return {
    system,
    tools: tools.map(({ name, description, parameters }) => ({
      name,
      description,
      parameters,
      run: (args, { signal }) => run(name, args, signal),
    })),
    request: () => request,
    async next() {
      seed += 1;
      await open();
    },
  };
}
