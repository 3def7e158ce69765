/**
 * The turns of one task: calls run one after the other, and a text without calls gets the user's reply or ends the
 * task. Single-use, like every environment. The options bring the tools and the state; a verifier judges elsewhere.
 */
import {
  type Environment,
  type FirstObservation,
  type TaskReference,
  type ToolCall,
  type ToolResult,
  WaggleError,
} from "@waggle/protocol";

export type TurnEnvironmentOptions = {
  readonly task: TaskReference;
  /** Called once, when the environment is observed. */
  readonly begin: () => FirstObservation;
  /** Runs one call. Mistakes of the model are failed results. */
  readonly run: (call: ToolCall, signal: AbortSignal) => Promise<ToolResult>;
  /** The user's reply to a text without calls, or `null` to end the task. Default: every such text ends it. */
  readonly reply?: (text: string) => string | null;
  /** Whether the task has ended after a turn with calls. Default: it has not. */
  readonly isOver?: () => boolean;
};

/** Creates the environment. Its methods throw `INVALID_ARGUMENT` if they are called out of order. */
export function createTurnEnvironment({
  task: { environment, seed, split },
  begin,
  run,
  reply = () => null,
  isOver = () => false,
}: TurnEnvironmentOptions): Environment {
  let phase: "new" | "running" | "ended" = "new";
  const requirePhase = (wanted: typeof phase): void => {
    if (phase === wanted) return;
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `the environment is ${phase}, not ${wanted}; environments are single-use: observe once, step until terminated`,
    );
  };
  return {
    task: { environment, seed, split },
    async observe() {
      requirePhase("new");
      phase = "running";
      return begin();
    },
    async step({ text, toolCalls }, signal) {
      requirePhase("running");
      if (toolCalls.length === 0) {
        const userMessage = reply(text);
        if (userMessage !== null) return { toolResults: [], userMessage, terminated: false };
        phase = "ended";
        return { toolResults: [], terminated: true };
      }
      const toolResults: ToolResult[] = [];
      // Sequential, because the calls of a turn act on one state and a replay must repeat their order.
      for (const call of toolCalls) toolResults.push(await run(call, signal));
      if (isOver()) phase = "ended";
      return { toolResults, terminated: phase === "ended" };
    },
  };
}
