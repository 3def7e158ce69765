/**
 * A prompt dataset as an environment: the policy reads a prompt and answers in one turn. Rows with an answer are
 * verified by comparing texts. For other tasks, add a reward function with `withReward`.
 */
import { type Task, type TaskReference, type TaskSplit, WaggleError } from "@waggle/protocol";
import { isOfSplit } from "../environment-task.ts";
import type { EnvironmentSpec, Judgment } from "../environment-spec.ts";
import { createToolEnvironment } from "../tool-environment.ts";
import type { PromptRow } from "./prompt-row.ts";

/**
 * Creates an environment from rows. Declared splits are respected; if no row declares one, one row in four is held
 * out, chosen by its content. A seed selects a row of its split.
 *
 * @param name - of the environment, as it appears in task references and records.
 * @throws WaggleError `INVALID_ARGUMENT` unless there are both training rows and held-out rows.
 */
export function promptEnvironment(name: string, rows: readonly PromptRow[]): EnvironmentSpec {
  const bySplit = splitRows(name, rows);
  const rowOf = ({ environment, seed, split }: TaskReference): PromptRow => {
    if (environment !== name) {
      throw new WaggleError(
        "INVALID_ARGUMENT",
        `task of environment "${environment.slice(0, 64)}" requested from dataset "${name}"`,
      );
    }
    const own = bySplit[split];
    return own[seed % own.length] as PromptRow;
  };
  const task = (reference: TaskReference): Task => {
    const { system, request } = rowOf(reference);
    return { ...reference, kind: name, template: "0", system, request };
  };
  return {
    name,
    levels: 1,
    maxTurns: 1,
    reference: (seed, split) => ({ environment: name, seed: seed >>> 0, split }),
    levelOf: () => 0,
    task,
    prompts: rows,
    columns: (reference) => rowOf(reference).columns,
    create: (reference) => ({
      environment: createToolEnvironment({ task: task(reference), tools: {}, state: null }),
      judge: (text) => compared(rowOf(reference), text),
    }),
    demonstrator: (reference) => {
      const { answer } = rowOf(reference);
      if (answer === null) {
        throw new WaggleError(
          "INVALID_ARGUMENT",
          `dataset "${name}" has rows without an answer, but this recipe learns from demonstrations; add an answer column or choose another recipe`,
        );
      }
      return () => ({ text: answer, calls: [] });
    },
  };
}

/** Whether the texts are equal, ignoring differences in whitespace. */
function compared({ answer }: PromptRow, text: string | null): Judgment {
  const success = answer !== null && text !== null && words(text) === words(answer);
  return { reward: success ? 1 : 0, success, parts: answer === null ? {} : { answer } };
}

function words(text: string): string {
  return text.trim().replace(/\s+/g, " ");
}

type RowsBySplit = { readonly [split in TaskSplit]: readonly PromptRow[] };

function splitRows(name: string, rows: readonly PromptRow[]): RowsBySplit {
  const isDeclared = rows.some(({ split }) => split !== null);
  const isHeldOut = ({ split, system, request }: PromptRow): boolean =>
    isDeclared
      ? split === "heldOut"
      : isOfSplit({ environment: name, split: "heldOut", seed: 0 }, `${system}\n${request}`);
  const [train, heldOut] = [rows.filter((row) => !isHeldOut(row)), rows.filter(isHeldOut)];
  if (train.length > 0 && heldOut.length > 0) return { train, heldOut };
  throw new WaggleError(
    "INVALID_ARGUMENT",
    `dataset "${name}" has ${train.length} training rows and ${heldOut.length} held-out rows; both are needed. Add rows, or a split column with train or test for each row`,
  );
}
