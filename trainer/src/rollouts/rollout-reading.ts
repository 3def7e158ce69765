/**
 * Gives each rollout of a stage what its state provides to read: prompts, lessons, cases. Makes no
 * choice itself. Records what each rollout read, so that it can be credited.
 */
import type { Guide } from "@waggle/agent";
import { readStates, readingText } from "@waggle/learning";
import type { ReadBefore, Stage, StateValues } from "@waggle/learning";
import { seededRandom } from "@waggle/protocol";

/** The reading of one rollout. */
export type RolloutReading = {
  readonly guide: Guide;
  /** What was read; known once the rollout has started. */
  readonly before: () => ReadBefore | null;
};

/**
 * @param at - index of the task: rollouts at one task read the same
 * @param role - role of the rollout, if several roles act
 */
export type Reader = (at: number, role?: string) => RolloutReading;

/**
 * `undefined` if the stage has nothing to read. A policy trained on outcome-conditioned sentences
 * gets the best outcome's sentence, except when it explores.
 */
export function stageReader(
  stage: Pick<Stage, "state" | "losses">,
  state: StateValues,
  { seed, explores }: { readonly seed: number; readonly explores: boolean },
): Reader | undefined {
  const readable = Object.values(stage.state).filter(({ read }) => read !== undefined);
  const preface = explores ? "" : (bestSentence(stage) ?? "");
  if (readable.length === 0 && preface === "") return undefined;
  const textOf = (
    situation: string,
    at: "start" | "turn",
    random: () => number,
    role: string | undefined,
  ) => {
    const reading = readStates(readable, state, { situation, at, explores, random, role });
    return { text: readingText(reading?.parts ?? {}), ids: reading?.ids ?? {} };
  };
  return (at, role) => {
    const random = seededRandom(seed, at, 0x4ead);
    let before: ReadBefore | null = null;
    return {
      before: () => before,
      guide: {
        start: (situation) => {
          const { text, ids } = textOf(situation, "start", random, role);
          before = { situation, ids, text };
          return [text, preface].filter((one) => one !== "").join("\n\n");
        },
        turn: (observed) => textOf(observed, "turn", random, role).text,
      },
    };
  };
}

function bestSentence({ losses }: Pick<Stage, "losses">): string | undefined {
  return losses.find(({ loss }) => loss.condition !== undefined)?.loss.condition?.(null);
}
