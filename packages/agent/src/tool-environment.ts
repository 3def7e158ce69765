/**
 * The environment of a live visitor's request. It runs the tools and ends when the policy answers without
 * calling one. It has no task, no simulated user and no verifier.
 */
import type { Environment, Observation, Tool } from "@waggle/protocol";
import { createToolRunner } from "./tool-runner.ts";

/** The tools, texts and limits of one request. */
export type ToolEnvironmentOptions = {
  readonly system: string;
  readonly tools: readonly Tool[];
  readonly userMessage: string;
  /** Time limit of a call if its tool sets none, in milliseconds. Default 15,000; 0 = no limit. */
  readonly callTimeoutMs?: number;
  /** Maximum length of a result as JSON text. A longer result becomes a failed one. Default 16 384. */
  readonly maxResultCharacters?: number;
  /** The probability that a turn's calls are right, from its confidence. Absent = unknown. */
  readonly probabilityOf?: (confidence: number) => number;
};

/**
 * Creates the environment of one request. Calls of a turn run concurrently. An unknown tool, invalid
 * arguments, a throw, a timeout, a result that is not JSON and one that is too long all become failed
 * results.
 *
 * @throws WaggleError `INVALID_ARGUMENT` if two tools have the same name.
 */
export function createToolEnvironment(options: ToolEnvironmentOptions): Environment {
  const { system, tools, userMessage, callTimeoutMs, maxResultCharacters, probabilityOf } = options;
  const run = createToolRunner({ tools, callTimeoutMs, maxResultCharacters });
  return {
    task: null,
    observe: () =>
      Promise.resolve({ system, tools: tools.map((tool) => tool.definition), userMessage }),
    step: async ({ toolCalls, confidence }, signal): Promise<Observation> => {
      const isKnown = confidence !== undefined && probabilityOf !== undefined;
      const probability = isKnown ? probabilityOf(confidence) : null;
      return {
        toolResults: await Promise.all(toolCalls.map((call) => run(call, signal, probability))),
        terminated: toolCalls.length === 0,
      };
    },
  };
}
