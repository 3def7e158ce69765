/**
 * Ports that give parts access to the run itself: structural tokens, answer log-probs, other tasks,
 * and re-rendering a trajectory with a preface.
 */
import type { EnvironmentSpec } from "@waggle/environments";
import type { JudgedTrajectory, PartPorts } from "@waggle/learning";
import { type TrainEngine, type TrainSequence, WaggleError } from "@waggle/protocol";
import type { ChatFormat } from "@waggle/text";
import { derivedSeed } from "@waggle/protocol";
import { prefaced } from "../rollouts/read-again.ts";
import { hintedSequences } from "./hinted-sequence.ts";

/** The ports of one run. */
export function runPorts(
  engine: TrainEngine,
  format: ChatFormat,
  spec: EnvironmentSpec,
  contextLength: number,
): Required<Pick<PartPorts, "structure" | "answerLogProbs" | "tasks" | "prefaced" | "hinted">> {
  return {
    structure: structuralTokens(format),
    answerLogProbs: (trajectory) => answerLogProbs(engine, format, trajectory),
    prefaced: (trajectory, text) => prefaced(trajectory, text, spec, format, contextLength),
    hinted: hintedSequences(format, contextLength),
    tasks: {
      harder: (task) => {
        const level = spec.levelOf(task) + 1;
        if (level >= spec.levels) return null;
        return spec.reference(derivedSeed(task.seed, level), task.split, level);
      },
      sibling: (task, nth) =>
        spec.reference(derivedSeed(task.seed, nth, 0x51b), task.split, spec.levelOf(task)),
    },
  };
}

/** Tokens common to all calls: the markers, the punctuation and the end. */
function structuralTokens(format: ChatFormat): ReadonlySet<number> {
  const [first = [], ...others] = ["aa", "bb", "cc"].map((name) =>
    format.encodeAssistant("", [{ name, arguments: { [name]: name } }]),
  );
  return new Set(first.filter((id) => others.every((tokens) => tokens.includes(id))));
}

/**
 * `[turns + 1]` log p(right answer
 * context) before each turn and after the last, under the current policy. Nothing is observed after
 * the last turn, so the last two entries are equal.
 *
 * @throws WaggleError `INVALID_ARGUMENT` if the environment's verifier names no answer.
 */
async function answerLogProbs(
  engine: TrainEngine,
  format: ChatFormat,
  { turns, samples, verification, id }: JudgedTrajectory,
): Promise<readonly number[]> {
  const { answer } = verification.parts;
  if (typeof answer !== "string" && typeof answer !== "number") {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `task ${id} names no right answer, which information gain needs; choose one of the environments lookup, library and calculator`,
    );
  }
  const said = format.encodeAssistant(String(answer));
  const sequences = turns.map(({ sample, start }): TrainSequence => {
    const before = samples[sample]?.sequence.tokenIds.slice(0, start) ?? [];
    return { tokenIds: [...before, ...said] };
  });
  if (sequences.length === 0) return [0];
  const { logProb } = await engine.forward({ sequences });
  const sums = logProb.map((row) =>
    row.subarray(row.length - said.length).reduce((sum, value) => sum + value, 0),
  );
  return [...sums, sums.at(-1) as number];
}
