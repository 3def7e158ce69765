/** Demonstrators that repeat recorded actions, or say a text before they act. */
import type { DemonstratedAction, EnvironmentSpec } from "@waggle/environments";
import type { Trajectory } from "@waggle/protocol";
import type { ChatFormat } from "@waggle/text";
import { turnTokens } from "./scripted-rollout.ts";

/** Repeats the recorded actions of a trajectory and ignores observations. */
export function repeatedDemonstrator(
  trajectory: Trajectory,
  format: ChatFormat,
): EnvironmentSpec["demonstrator"] {
  return () => {
    const said = turnTokens(trajectory);
    const left = trajectory.turns.map(({ toolCalls }, turn): DemonstratedAction => ({
      text: format.parseAssistant(format.decodeAssistant(said[turn] ?? [])).text,
      calls: toolCalls.map(({ name, arguments: args }) => ({ name, arguments: args })),
    }));
    return () => left.shift() ?? { text: "", calls: [] };
  };
}

/** The environment with a demonstrator that says a text before its first call. */
export function saying(spec: EnvironmentSpec, words: string): EnvironmentSpec {
  return {
    ...spec,
    demonstrator: async (reference, random, mistakes) => {
      const act = await spec.demonstrator(reference, random, mistakes);
      let isSaid = false;
      return (observation) => {
        const action = act(observation);
        if (isSaid || action.calls.length === 0) return action;
        isSaid = true;
        return { ...action, text: `${words} ${action.text}`.trim() };
      };
    },
  };
}
