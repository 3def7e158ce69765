/**
 * Fits a model of an environment to logged calls, by cross-entropy on the results alone. It does not
 * run one: `modeledEnvironment` of @waggle/agent does.
 */
import {
  callText,
  resultText,
  verdictQuery,
  verdictText,
  WORLD_MODEL_SYSTEM,
  worldModelMessage,
} from "@waggle/environments";
import { cosineRate, type JudgedTrajectory } from "@waggle/learning";
import { seededRandom, type TrainEngine } from "@waggle/protocol";
import type { ChatFormat } from "@waggle/text";
import { runSupervised } from "../training/supervised-run.ts";

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
  /** Called after each step; default: nothing. */
  readonly onStep?: OnFitStep | undefined;
};

/** Receives the steps of fitting a world model, counted from 1. */
export type OnFitStep = (step: number, metrics: { readonly [name: string]: number }) => void;

/** @returns mean cross-entropy of the results in the last step, in nats per token */
export async function fitWorldModel(
  engine: TrainEngine,
  lessons: readonly WorldModelLesson[],
  { steps, batchSize, learningRate, seed, contextLength, onStep }: WorldModelFit,
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
    onStep: (step, { loss, gradientNorm }) => {
      last = loss ?? Number.NaN;
      onStep?.(step, { loss: last, gradientNorm, learningRate: rate(step - 1) });
    },
  });
  if (done < run) signal.throwIfAborted();
  return last;
}
