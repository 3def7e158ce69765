/** Draws the script of a task from its reference. */
import { mulberry32, hashText, type TaskReference, WaggleError } from "@waggle/protocol";
import { pick } from "../draw.ts";
import { copyingDrill } from "./copying-drill.ts";
import type { Drawing } from "./drawing.ts";
import { noTool, smallTalk } from "./no-call.ts";
import { failingCall, missingValue, oneCall } from "./one-call.ts";
import { answerFromRecords, findAndAct } from "./record-tasks.ts";
import { twoCalls } from "./several-calls.ts";
import type { TaskScript } from "./task-script.ts";

export const NAME = "tools";
export const LEVELS = 3;

type Scene = (drawing: Drawing, size: number) => TaskScript;

/** Kinds of level 1 with their shares in percent. */
const SCENES: readonly (readonly [share: number, scene: Scene])[] = [
  [18, oneCall],
  [16, twoCalls],
  [26, findAndAct],
  [15, answerFromRecords],
  [8, missingValue],
  [8, noTool],
  [5, failingCall],
  [4, smallTalk],
];

const LEVEL_1 = SCENES.flatMap(([share, scene]) => Array.from({ length: share }, () => scene));

/** @throws WaggleError `INVALID_ARGUMENT` for a reference of another environment. */
export function scriptOf({ environment, seed, split }: TaskReference): TaskScript {
  if (environment !== NAME) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `the task belongs to environment "${environment.slice(0, 64)}", not "${NAME}"`,
    );
  }
  const random = mulberry32(hashText(`${NAME}/${split}/${seed}`));
  const drawing: Drawing = { random, split };
  const level = seed % LEVELS;
  if (level === 2) return copyingDrill(drawing);
  if (level === 0) return oneCall(drawing, pick(random, [2, 3, 4]));
  return pick(random, LEVEL_1)(drawing, pick(random, [2, 3, 3, 4, 4, 5, 6, 7, 8]));
}
