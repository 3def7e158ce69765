/**
 * What parts may ask of a run itself: which tokens are structure, how likely an answer is, other tasks, a
 * trajectory with other words before it.
 */
import type { EnvironmentSpec } from "@waggle/environments";
import type { JudgedTrajectory, PartPorts } from "@waggle/learning";
import { type TrainEngine, type TrainSequence, WaggleError } from "@waggle/protocol";
import type { ChatFormat } from "@waggle/text";
import { derivedSeed } from "@waggle/protocol";
import { prefaced } from "../strategies/read-again.ts";

export function runPorts(
  engine: TrainEngine,
  format: ChatFormat,
  spec: EnvironmentSpec,
  contextLength: number,
): Required<Pick<PartPorts, "structure" | "answerLogProbs" | "tasks" | "prefaced">> {
  return {
    structure: structuralTokens(format),
    answerLogProbs: (trajectory) => answerLogProbs(engine, format, trajectory),
    prefaced: (trajectory, text) => prefaced(trajectory, text, spec, format, contextLength),
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

/** Tokens that every call has, whatever it calls: markers and punctuation of the call, and its end. */
function structuralTokens(format: ChatFormat): ReadonlySet<number> {
  const [first = [], ...others] = ["aa", "bb", "cc"].map((word) =>
    format.encodeAssistant("", [{ name: word, arguments: { [word]: word } }]),
  );
  return new Set(first.filter((id) => others.every((tokens) => tokens.includes(id))));
}

/**
 * `[turns + 1]` log p(right answer | what was there before each turn, and after the last), by the
 * policy as it is now. After the last turn nothing is told any more: as before it.
 *
 * @throws WaggleError `INVALID_ARGUMENT` where the environment's verifier names no answer.
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
      `a task must have one right answer to be gained on, got none for ${id}; choose an environment whose verifier names it: lookup, library, calculator`,
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
