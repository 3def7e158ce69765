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
  readonly pattern: string;
  readonly values: readonly string[] | undefined;
};

/** Draws for a task of the other split, before `tasks` is taken to give none. */
const DRAWS = 2000;
/** Most characters of a pattern's name. */
const PATTERN_CHARACTERS = 64;

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
  const draw = { seed, split, level, random, pick: picking(random), ofSplit: ofSplit(reference) };
  const place = `seed ${seed}, ${split}, level ${level}`;
  let request = "";
  for (let i = 0; i < DRAWS; i += 1) {
    const given = checkedTask(source, draw, place);
    ({ request } = given);
    if (splits === "automatic" && !isDrawnForSplit(reference, given)) continue;
    // The functions that get the task draw from a stream of their own.
    const later = mulberry32(hashText(`${name}/${split}/${seed}/later`));
    const { data, kind = name, pattern = "0" } = given;
    const task = { ...draw, random: later, pick: picking(later), request, data };
    const values = given.values?.map(String);
    return { task, state: copied(name, given.state), kind, pattern, values };
  }
  throw new WaggleError(
    "INVALID_ARGUMENT",
    `tasks of "${name}" gave no ${split} task in ${DRAWS} draws (${place}); the last request was ${shown(request)}. Draw more different requests and values with pick or random, or set splits: "own" and divide them by split`,
  );
}

function isDrawnForSplit(
  reference: TaskReference,
  { request, values = [] }: Pick<DefinedTask<unknown, unknown>, "request" | "values">,
): boolean {
  if (values.length === 0) return isOfSplit(reference, request);
  return values.every((value) => isOwn(reference, value));
}

/** Share of the values that are held out. */
const HELD_OUT_VALUES = 1 / 4;

/** Whether a slot value belongs to the split. */
function isOwn({ environment, split }: TaskReference, value: string | number): boolean {
  // The low bits of the hash alone depend on the low bits of the characters, so that similar values stay together.
  const isHeldOut = mulberry32(hashText(`${environment}/value/${value}`))() < HELD_OUT_VALUES;
  return isHeldOut === (split === "heldOut");
}

/** Lists that were divided before, because most tasks divide the same ones. By list, then environment and split. */
const DIVIDED = new WeakMap<object, Map<string, readonly (string | number)[]>>();

/** @throws WaggleError `INVALID_ARGUMENT` from the returned function if no entry is of the split. */
function ofSplit(reference: TaskReference): TaskDraw["ofSplit"] {
  return <T extends string | number>(list: readonly T[]): T[] => {
    const divided = DIVIDED.get(list) ?? new Map<string, readonly T[]>();
    DIVIDED.set(list, divided);
    // With the length, because an author's list may have grown.
    const key = `${reference.environment}/${reference.split}/${list.length}`;
    const own =
      (divided.get(key) as readonly T[] | undefined) ??
      list.filter((value) => isOwn(reference, value));
    divided.set(key, own);
    if (own.length > 0) return [...own];
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `ofSplit got ${list.length} entries, and none of them is of the split ${reference.split}; write more of them (one in four is held out), or divide the list by split yourself`,
    );
  };
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
  if (typeof request === "string" && request.trim() !== "") {
    requireParts(name, given, place);
    return given;
  }
  throw new WaggleError(
    "INVALID_ARGUMENT",
    isObject(given)
      ? `tasks of "${name}" gave the request ${shown(request)} at ${place}; write the user's message as a text`
      : `tasks of "${name}" gave ${shown(given)} at ${place}; return { request, state, data }`,
  );
}

/** @throws WaggleError `INVALID_ARGUMENT` for a pattern or values of another type. */
function requireParts(
  name: string,
  { pattern, values }: { readonly pattern?: unknown; readonly values?: unknown },
  place: string,
): void {
  const isPattern =
    typeof pattern === "string" && pattern !== "" && pattern.length <= PATTERN_CHARACTERS;
  if (pattern !== undefined && !isPattern) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `tasks of "${name}" gave the pattern ${shown(pattern)} at ${place}; write a name of at most ${PATTERN_CHARACTERS} characters`,
    );
  }
  const isValue = (value: unknown): boolean =>
    typeof value === "string" || typeof value === "number";
  if (values === undefined || (Array.isArray(values) && values.every(isValue))) return;
  throw new WaggleError(
    "INVALID_ARGUMENT",
    `tasks of "${name}" gave the values ${shown(values)} at ${place}; write a list of texts and numbers`,
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
