/**
 * Simulated people of the study. They know what they want, ask for it, and some say how the answer was. What they want, and
 * whether they got it, leaves this module only as feedback. The learner must not import it.
 */
import { demonstratedRollout } from "@waggle/agent/environments";
import type { EnvironmentSpec } from "@waggle/environments";
import {
  derivedSeed,
  type Feedback,
  type LeasedTrajectory,
  seededRandom,
  type TaskReference,
  type Trajectory,
} from "@waggle/protocol";
import { finalTextOf } from "@waggle/agent";
import type { ChatFormat } from "@waggle/text";
import { ANSWERING, type Signal, WRONG } from "./signal-arms.ts";

/** What a person says about one answer. */
export type Reaction = Required<Pick<LeasedTrajectory, "feedback" | "outcomes">>;

/** People who come one after another. The seed decides who they are. */
type People = {
  /** What person number `index` wants. */
  readonly wish: (index: number) => TaskReference;
  /** @param isHappy - whether the person got it. */
  readonly reaction: (index: number, record: Trajectory, isHappy: boolean) => Promise<Reaction>;
};

/** The metric of outcomes. */
const SOLVED = { type: "boolean", better: "higher" } as const;

export function createPeople(
  spec: EnvironmentSpec,
  format: ChatFormat,
  gives: readonly Signal[],
  { seed, contextLength }: { readonly seed: number; readonly contextLength: number },
): People {
  const wish = (index: number): TaskReference =>
    spec.reference(derivedSeed(seed, index, 0xa5c), "train", index % spec.levels);

  /** What a faultless answer to the wish of this person says, or its last call if it says the same as `said`. */
  const wanted = async (index: number, said: string | null): Promise<string> => {
    const { record } = await demonstratedRollout(spec, wish(index), format, {
      random: seededRandom(seed, index),
      mistakes: 0,
      contextLength,
    });
    const text = finalTextOf(record, format) ?? "";
    if (text !== "" && text !== said) return text;
    const call = record.turns.flatMap(({ toolCalls }) => toolCalls).at(-1);
    return call === undefined ? text : Object.values(call.arguments).join(" ");
  };

  return {
    wish,
    reaction: async (index, record, isHappy) => {
      const random = seededRandom(seed, index, 0x5a1);
      /** `null`: the person does not give this signal. */
      const verdict = (signal: Signal): "good" | "bad" | null => {
        const [patience, slip] = [random(), random()];
        if (!gives.includes(signal)) return null;
        // Unhappy people answer twice as often as happy ones.
        if (patience >= ((isHappy ? 2 : 4) / 3) * ANSWERING[signal]) return null;
        return isHappy === slip < WRONG ? "bad" : "good";
      };
      const feedback: Feedback[] = [];
      const say = (kind: Feedback["kind"], text?: string): void => {
        const [at, trajectoryId] = [record.endedAt, record.id];
        const id = crypto.randomUUID();
        feedback.push({ id, trajectoryId, kind, at, ...(text === undefined ? {} : { text }) });
      };
      const [thumb, outcome] = [verdict("thumb"), verdict("outcome")];
      const [message, correction, edit] = [
        verdict("message"),
        verdict("correction"),
        verdict("edit"),
      ];
      const said = finalTextOf(record, format);
      /** A person who is happy and says the opposite names what somebody else wants. */
      const named = (): Promise<string> => wanted(isHappy ? index + 1 : index, said);
      if (thumb !== null) say(thumb === "good" ? "thumb-up" : "thumb-down");
      if (correction === "bad") say("next-corrects", `No, ${await named()}.`);
      else if (message !== null) say(message === "good" ? "next-thanks" : "next-corrects");
      const instead = edit === "bad" ? await named() : "";
      if (instead !== "") say("edit", instead);
      const outcomes: Reaction["outcomes"] =
        outcome === null
          ? []
          : [{ metric: "solved", value: outcome === "good", source: "server", declared: SOLVED }];
      return { feedback, outcomes };
    },
  };
}
