/** Draws the tasks of a definition: seeds them, divides them into splits and checks them. */
import { isOfSplit } from "@waggle/environments";
import {
  hashText,
  isObject,
  mulberry32,
  type RandomSource,
  type TaskReference,
  WaggleError,
} from "@waggle/protocol";
import type { DefinedTask, DrawnTask, TaskDraw } from "./definition.ts";
import { shown } from "../../tools/shown-value.ts";

/** The part of a definition that draws. */
type TaskSource<S, D> = {
  readonly name: string;
  readonly levels?: number;
  readonly splits?: "automatic" | "own";
  readonly tasks: (draw: TaskDraw) => DefinedTask<S, D>;
};

/** A task and the state in which its rollout starts. */
type Drawn<S, D> = {
  readonly task: DrawnTask<D>;
  readonly state: S;
  readonly kind: string;
};

/** Draws for a task of the other split, before `tasks` is taken to give none. */
const DRAWS = 200;

/**
 * @throws WaggleError `INVALID_ARGUMENT` for a reference of another environment, or if `tasks` throws or returns no
 *   task.
 */
export function drawnTask<S, D>(source: TaskSource<S, D>, reference: TaskReference): Drawn<S, D> {
  const { name, levels = 1, splits = "automatic" } = source;
  const { environment, seed, split } = reference;
  if (environment !== name) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `the task belongs to environment "${environment.slice(0, 64)}", not "${name}"`,
    );
  }
  const level = seed % levels;
  const random = mulberry32(hashText(`${name}/${split}/${seed}`));
  const draw = { seed, split, level, random, pick: picking(random) };
  const place = `seed ${seed}, ${split}, level ${level}`;
  let request = "";
  for (let i = 0; i < DRAWS; i += 1) {
    const given = checkedTask(source, draw, place);
    ({ request } = given);
    if (splits === "automatic" && !isOfSplit(reference, request)) continue;
    // The functions that get the task draw from a stream of their own.
    const later = mulberry32(hashText(`${name}/${split}/${seed}/later`));
    const { data, kind = name } = given;
    const task = { ...draw, random: later, pick: picking(later), request, data };
    return { task, state: copied(name, given.state), kind };
  }
  throw new WaggleError(
    "INVALID_ARGUMENT",
    `tasks of "${name}" gave no ${split} task in ${DRAWS} draws (${place}); the last request was ${shown(request)}. Draw more different requests with pick or random, or set splits: "own" and divide them by split`,
  );
}

function picking(random: RandomSource): <T>(list: readonly T[]) => T {
  return (list) => {
    if (list.length === 0) {
      throw new WaggleError("INVALID_ARGUMENT", "pick got an empty list; a draw needs an entry");
    }
    return list[Math.floor(random() * list.length)] as (typeof list)[number];
  };
}

function checkedTask<S, D>(
  { name, tasks }: TaskSource<S, D>,
  draw: TaskDraw,
  place: string,
): DefinedTask<S, D> {
  let given: DefinedTask<S, D>;
  try {
    given = tasks(draw);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `tasks of "${name}" failed at ${place}: ${message.slice(0, 300)}`,
      { cause },
    );
  }
  const request: unknown = isObject(given) ? given.request : undefined;
  if (typeof request === "string" && request.trim() !== "") return given;
  throw new WaggleError(
    "INVALID_ARGUMENT",
    isObject(given)
      ? `tasks of "${name}" gave the request ${shown(request)} at ${place}; write the user's message as a text`
      : `tasks of "${name}" gave ${shown(given)} at ${place}; return { request, state, data }`,
  );
}

/** A copy, so that no rollout changes the state of another one. */
function copied<S>(name: string, state: S): S {
  const prototype: unknown = isObject(state) ? Object.getPrototypeOf(state) : null;
  const isPlain = [null, Object.prototype, Array.prototype, Map.prototype, Set.prototype].some(
    (plain) => plain === prototype,
  );
  try {
    if (isPlain) return structuredClone(state);
  } catch {
    // Functions cannot be copied.
  }
  throw new WaggleError(
    "INVALID_ARGUMENT",
    `the state that tasks of "${name}" gave cannot be copied; write plain data: objects, arrays, texts, numbers, Map and Set, without functions and classes`,
  );
}
