/**
 * A language model as the environment: it reads a request and calls, and answers as the tools would. The
 * model may be fitted to logged calls or used untrained; it is not fitted here.
 */
import {
  callText,
  resultText,
  saidResult,
  verdictQuery,
  verdictText,
  WORLD_MODEL_SYSTEM,
  type WorldModel,
  worldModelMessage,
} from "@waggle/environments";
import {
  derivedSeed,
  FULL_SUPPORT,
  type Policy,
  type PolicyContext,
  type ToolResult,
} from "@waggle/protocol";
import type { ChatFormat } from "@waggle/text";

/** Maximum tokens of one answer: results of these environments are short. */
const MAX_ANSWER_TOKENS = 32;
/** The result if the context is full. */
const NO_ANSWER: ToolResult = {
  callId: "",
  ok: false,
  error: { code: "TOOL_FAILED", message: "no answer" },
};

/** A policy that is asked for the environment's answers. */
export function modeledEnvironment(policy: Policy, format: ChatFormat): WorldModel {
  return async (request, seed) => {
    const context = await policy.createContext();
    let turns = 0;
    let sampledEnded = true;
    const append = (text: string): void => {
      const userMessage = worldModelMessage(request, text, turns === 0);
      const segments =
        turns === 0
          ? format.start({ system: WORLD_MODEL_SYSTEM, tools: [], userMessage })
          : format.next({ userMessage, sampledEnded });
      turns += 1;
      context.append(segments.flatMap(({ tokenIds }) => tokenIds));
    };
    const say = async (text: string, signal: AbortSignal): Promise<string> => {
      append(text);
      if (isFull(context, policy)) return resultText(NO_ANSWER);
      const { tokenIds, stopReason } = await context.generate({
        sampling: { ...FULL_SUPPORT, seed: derivedSeed(seed, turns) },
        stopTokenIds: format.stopTokenIds,
        maxTokens: MAX_ANSWER_TOKENS,
        signal,
      });
      sampledEnded = stopReason === "stop-token";
      return format.parseAssistant(format.decodeAssistant(tokenIds)).text.trim();
    };
    return {
      answer: async (call, signal) => saidResult(call.id, await say(callText(call), signal)),
      hear: (call, result) => {
        append(callText(call));
        context.append(format.encodeAssistant(resultText(result)));
        sampledEnded = true;
      },
      verdict: async (text, signal) =>
        (await say(verdictQuery(text), signal)) === verdictText(true),
      dispose: () => context.dispose(),
    };
  };
}

function isFull({ tokenIds }: PolicyContext, { contextLength }: Policy): boolean {
  return tokenIds.length + MAX_ANSWER_TOKENS >= contextLength;
}
