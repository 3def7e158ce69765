/**
 * A language model as the environment: it reads a request and calls, and answers as the tools
 * would. In its conversation, calls are user messages and results are assistant messages. It is
 * fitted to logged calls by cross-entropy on the results alone, or used untrained.
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
import { cosineRate, type JudgedTrajectory } from "@waggle/learning";
import {
  derivedSeed,
  FULL_SUPPORT,
  type PolicyContext,
  seededRandom,
  type ToolResult,
  type TrainEngine,
} from "@waggle/protocol";
import type { ChatFormat } from "@waggle/text";
import { runSupervised } from "../loop/supervised-run.ts";
import type { ActingPolicy } from "./environment-rollout.ts";

/** Maximum tokens of one answer: results of these environments are short. */
const MAX_ANSWER_TOKENS = 32;
/** The result if the context is full. */
const NO_ANSWER: ToolResult = {
  callId: "",
  ok: false,
  error: { code: "TOOL_FAILED", message: "no answer" },
};

/** A policy that is asked for the environment's answers. */
export function modeledEnvironment(policy: ActingPolicy, format: ChatFormat): WorldModel {
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

function isFull({ tokenIds }: PolicyContext, { contextLength }: ActingPolicy): boolean {
  return tokenIds.length + MAX_ANSWER_TOKENS >= contextLength;
}

/**
 * A world model's training example from one rollout: tokens, and a mask of the environment's
 * tokens.
 */
type WorldModelLesson = {
  readonly tokenIds: readonly number[];
  readonly lossMask: readonly boolean[];
};

/** @param request the request as the rollout received it */
export function worldLesson(
  { record: trajectory, verification, turns }: JudgedTrajectory,
  request: string,
  finalText: string,
  format: ChatFormat,
): WorldModelLesson {
  const tokenIds: number[] = [];
  const lossMask: boolean[] = [];
  const add = (ids: readonly number[], isLearned: boolean): void => {
    tokenIds.push(...ids);
    lossMask.push(...ids.map(() => isLearned));
  };
  const tell = (text: string, answer: string): void => {
    const userMessage = worldModelMessage(request, text, tokenIds.length === 0);
    const segments =
      tokenIds.length === 0
        ? format.start({ system: WORLD_MODEL_SYSTEM, tools: [], userMessage })
        : format.next({ userMessage, sampledEnded: true });
    for (const segment of segments) add(segment.tokenIds, false);
    add(format.encodeAssistant(answer), true);
  };
  for (const { toolCalls, toolResults } of turns) {
    for (const [i, call] of toolCalls.entries()) {
      const result = toolResults[i];
      if (result !== undefined) tell(callText(call), resultText(result));
    }
  }
  if (trajectory.terminated) tell(verdictQuery(finalText), verdictText(verification.success));
  return { tokenIds, lossMask };
}

/** Settings of fitting a world model. */
export type WorldModelFit = {
  readonly steps: number;
  /** Rollouts per step. */
  readonly batchSize: number;
  readonly learningRate: number;
  readonly seed: number;
  /** Longer conversations are left out. */
  readonly contextLength: number;
};

/** @returns mean cross-entropy of the results in the last step, in nats per token */
export async function fitWorldModel(
  engine: TrainEngine,
  lessons: readonly WorldModelLesson[],
  { steps, batchSize, learningRate, seed, contextLength }: WorldModelFit,
  signal: AbortSignal,
): Promise<number> {
  const fitting = lessons.filter(
    ({ tokenIds, lossMask }) => tokenIds.length <= contextLength && lossMask.includes(true),
  );
  const random = seededRandom(seed, 0x3a0);
  const rate = cosineRate({
    rate: learningRate,
    warmUpSteps: Math.ceil(steps / 10),
    totalSteps: steps,
    floor: learningRate / 10,
  });
  let last = Number.NaN;
  const run = fitting.length > 0 ? steps : 0;
  const done = await runSupervised({
    engine,
    steps: run,
    learningRate: rate,
    optimizer: { maxGradientNorm: 1 },
    signal,
    batchAt: () => {
      const batch = Array.from(
        { length: Math.min(batchSize, fitting.length) },
        () => fitting[Math.floor(random() * fitting.length)] as WorldModelLesson,
      );
      return {
        sequences: batch.map(({ tokenIds }) => ({ tokenIds })),
        lossMask: batch.map(({ lossMask }) => lossMask),
      };
    },
    onStep: (_, { loss }) => {
      last = loss ?? Number.NaN;
    },
  });
  if (done < run) signal.throwIfAborted();
  return last;
}
