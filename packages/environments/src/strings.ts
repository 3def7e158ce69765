/**
 * Copy or reverse letters: one turn, no tools, learned in seconds. For tests and first experiments. Reward
 * is the share of letters in place; success is every letter in place and nothing else.
 */
import { pick, integerBelow } from "./draw.ts";
import type { Task, TaskReference } from "@waggle/protocol";
import { drawInstance } from "./environment-task.ts";
import { leveledReferences, type EnvironmentSpec } from "./environment-spec.ts";
import { createToolEnvironment } from "./tool-environment.ts";

const NAME = "strings";
const LETTERS = "abcdefgh";
/** Number of letters in a task, by level. */
const LENGTHS = [3, 4, 6] as const;

type StringsInstance = { readonly verb: "copy" | "reverse"; readonly letters: readonly string[] };

function instance(reference: TaskReference): StringsInstance {
  const length = LENGTHS[reference.seed % LENGTHS.length] as number;
  return drawInstance(
    NAME,
    reference,
    (random) => ({
      verb: pick(random, ["copy", "reverse"] as const),
      letters: Array.from(
        { length },
        () => LETTERS[integerBelow(random, LETTERS.length)] as string,
      ),
    }),
    ({ verb, letters }) => `${verb}/${letters.join("")}`,
  );
}

function wanted({ verb, letters }: StringsInstance): readonly string[] {
  return verb === "copy" ? letters : letters.toReversed();
}

function task(reference: TaskReference): Task {
  const { verb, letters } = instance(reference);
  return {
    ...reference,
    kind: verb,
    template: "0",
    system: "",
    request: `${verb}: ${letters.join(" ")}`,
  };
}

export const STRINGS: EnvironmentSpec = {
  ...leveledReferences(NAME, LENGTHS.length),
  maxTurns: 1,
  task,
  create: (reference) => {
    const right = wanted(instance(reference));
    return {
      environment: createToolEnvironment({ task: task(reference), tools: {}, state: null }),
      judge: (finalText) => {
        const said = (finalText ?? "").trim().split(/\s+/);
        const inPlace = right.filter((letter, i) => said[i] === letter).length;
        const success = said.length === right.length && inPlace === right.length;
        return { reward: success ? 1 : inPlace / (right.length + 1), success, parts: { inPlace } };
      },
    };
  },
  demonstrator: (reference, random, mistakes) => () => ({
    text: wanted(instance(reference))
      .map((letter) =>
        random() < mistakes / 2
          ? (LETTERS[integerBelow(random, LETTERS.length)] as string)
          : letter,
      )
      .join(" "),
    calls: [],
  }),
};
