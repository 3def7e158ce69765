/**
 * An environment whose tool results come from a model: the policy reads what the model predicts the tool
 * would return. The real tool runs as well, so that the verifier can judge and the task can end, but its
 * results do not reach the policy.
 */
import { type Action, seededRandom, type ToolCall, type ToolResult } from "@waggle/protocol";
import type { EnvironmentWrapper } from "./wrapped-environment.ts";

/** A model's view of one rollout. */
type EnvironmentConversation = {
  /** Predicts the result of a call. */
  readonly answer: (call: ToolCall, signal: AbortSignal) => Promise<ToolResult>;
  /** Tells the model the real result of a call that it did not predict. */
  readonly hear: (call: ToolCall, result: ToolResult) => void;
  /** Predicts whether a rollout that ends with this text succeeds. */
  readonly verdict: (text: string, signal: AbortSignal) => Promise<boolean>;
  readonly dispose: () => void;
};

/** Starts the model's view of a rollout, given the request. */
export type WorldModel = (request: string, seed: number) => Promise<EnvironmentConversation>;

/** How much of the environment a model imagines. */
export type Imagination = {
  /** Share of calls whose results the model predicts, in [0, 1]. */
  readonly share: number;
  /** Whether the model's verdict is recorded in the judgment's parts. */
  readonly judges: boolean;
};

/** Lets a model answer a share of the calls. */
export function imagined(
  model: WorldModel,
  { share, judges }: Imagination,
  seed: number,
): EnvironmentWrapper {
  return ({ environment, judge }) => {
    const random = seededRandom(seed, 0x1a6);
    let conversation: EnvironmentConversation | null = null;
    let verdict: boolean | null = null;
    let answered = 0;
    const resultOf = async (
      call: ToolCall,
      real: ToolResult | undefined,
      signal: AbortSignal,
    ): Promise<ToolResult> => {
      if (real !== undefined && random() >= share) {
        conversation?.hear(call, real);
        return real;
      }
      answered += 1;
      return (conversation as EnvironmentConversation).answer(call, signal);
    };
    const end = async (action: Action, signal: AbortSignal): Promise<void> => {
      if (judges) verdict = (await conversation?.verdict(action.text, signal)) ?? null;
      conversation?.dispose();
      conversation = null;
    };
    return {
      environment: {
        task: environment.task,
        async observe() {
          const first = await environment.observe();
          conversation = await model(first.userMessage, seed);
          return first;
        },
        async step(action, signal) {
          const real = await environment.step(action, signal);
          const toolResults: ToolResult[] = [];
          for (const [i, call] of action.toolCalls.entries()) {
            toolResults.push(await resultOf(call, real.toolResults[i], signal));
          }
          if (real.terminated) await end(action, signal);
          return { ...real, toolResults };
        },
      },
      judge: async (finalText) => {
        conversation?.dispose();
        conversation = null;
        const judgment = await judge(finalText);
        const parts = {
          ...judgment.parts,
          answered,
          // A rollout that was cut before its end has no verdict and counts as a failure.
          ...(judges ? { verdict: verdict === true } : {}),
        };
        return { ...judgment, parts };
      },
    };
  };
}
