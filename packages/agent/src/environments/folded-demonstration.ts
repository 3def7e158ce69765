/** Demonstrations in which each turn has its own context. The demonstrator also writes the notes. */
import type { DemonstratedAction, EnvironmentSpec, Judgment } from "@waggle/environments";
import type { Action, Observation, RandomSource, TaskReference } from "@waggle/protocol";
import type { ChatFormat } from "@waggle/text";
import {
  type FoldedOptions,
  foldedRollout,
  type FoldedTurns,
  NOTE_REPLACES,
  resultWords,
} from "../folded-rollout.ts";
import { SCRIPTED_CLIENT, scriptedPolicy } from "../scripted-policy.ts";

/** One trajectory per turn, and their joint judgment. */
type FoldedDemonstration = Pick<FoldedTurns, "trajectories"> & {
  readonly verification: Judgment;
};

/** A demonstrator's rollout; turns with a call also write a note about the previous result. */
export async function foldedDemonstration(
  spec: EnvironmentSpec,
  task: TaskReference,
  format: ChatFormat,
  options: FoldedOptions & {
    readonly random: RandomSource;
    readonly mistakes: number;
    readonly contextLength: number;
    readonly consolidates: boolean;
  },
  signal: AbortSignal,
): Promise<FoldedDemonstration> {
  const act = await spec.demonstrator(task, options.random, options.mistakes);
  const seen: { observation: Observation | null; call: Action["toolCalls"][number] | null } = {
    observation: null,
    call: null,
  };
  let notes: readonly { readonly line: string; readonly ok: boolean }[] = [];
  const note = (): string => {
    const result = seen.observation?.toolResults[0];
    if (result === undefined || seen.call === null) return "";
    const given = Object.values(seen.call.arguments).join(" ");
    const line = `${seen.call.name} ${given}: ${resultWords(result)}`;
    // Earlier failures no longer need a line of their own.
    const sumsUp = options.consolidates && notes.some(({ ok }) => !ok);
    notes = [...notes.filter(({ ok }) => ok || !sumsUp), { line, ok: result.ok }];
    return sumsUp ? `${NOTE_REPLACES} ${notes.map((each) => each.line).join(", ")}` : line;
  };
  const speak = (): number[] => {
    const { text, calls }: DemonstratedAction = act(seen.observation);
    return format.encodeAssistant(calls.length === 0 ? text : note() || text, calls);
  };
  const instance = spec.create(task);
  const { trajectories, finalText } = await foldedRollout(
    instance.environment,
    {
      policy: scriptedPolicy(speak, options.contextLength),
      client: SCRIPTED_CLIENT,
      hear: (action, observation) => {
        seen.observation = observation;
        seen.call = action.toolCalls[0] ?? null;
      },
    },
    format,
    { ...options, maxTurns: options.maxTurns ?? spec.maxTurns },
    signal,
  );
  return { trajectories, verification: await instance.judge(finalText) };
}
