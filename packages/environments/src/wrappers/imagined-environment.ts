/**
 * An environment whose tools are answered by a model: what the policy reads is what the model thinks the tool
 * would have said. The tool runs as well, unseen, so that the environment's verifier can follow and the task
 * can end; nothing that it says reaches the policy.
 */
import { type Action, seededRandom, type ToolCall, type ToolResult } from "@waggle/protocol";
import type { JudgedEnvironment } from "../environment-spec.ts";
import type { EnvironmentWrapper } from "./wrapped-environment.ts";

/** One rollout as a model of the environment sees it. */
type EnvironmentConversation = {
  /** What the tool would say. */
  readonly answer: (call: ToolCall, signal: AbortSignal) => Promise<ToolResult>;
  /** Told what a call that it did not answer came to. */
  readonly hear: (call: ToolCall, result: ToolResult) => void;
  /** Whether the rollout would count as a success, ended with these words. */
  readonly verdict: (text: string, signal: AbortSignal) => Promise<boolean>;
  readonly dispose: () => void;
};

/** Begins a conversation about a task, by its request. */
export type WorldModel = (request: string, seed: number) => Promise<EnvironmentConversation>;

export type Imagination = {
  /** Share of calls that the model answers, in [0, 1]. */
  readonly share: number;
  /** Whether its verdict is noted beside the verifier's. */
  readonly judges: boolean;
};

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
      judge: (finalText): ReturnType<JudgedEnvironment["judge"]> => {
        conversation?.dispose();
        conversation = null;
        const judgement = judge(finalText);
        const parts = {
          ...judgement.parts,
          answered,
          // What was cut before its end is no success to the model either.
          ...(judges ? { verdict: verdict === true } : {}),
        };
        return { ...judgement, parts };
      },
    };
  };
}
