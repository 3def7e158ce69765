/** Held-out tasks measure learning: there are enough of them, with values and patterns that training does not have. */
import { trainingTasks } from "@waggle/environments";
import type { Task } from "@waggle/protocol";
import {
  type CheckContext,
  counted,
  failed,
  type Finding,
  passed,
  percent,
  placeOf,
  quoted,
  skipped,
} from "./check-context.ts";
import { splitTools } from "./split-tools.ts";

/** Held-out tasks to look at, of all levels together. */
const TASKS = 1000;
/** Different held-out requests that a measurement needs. */
const ENOUGH = 200;
/** Share of the held-out patterns that training must not have. */
const UNSEEN_PATTERNS = 1 / 3;

/** Counts different held-out requests, and what they share with training tasks. */
export async function checkHeldOut(context: CheckContext): Promise<Finding> {
  const { spec, signal, onTask } = context;
  const heldOut: Task[] = [];
  for (let i = 0; i < TASKS; i += 1) {
    signal.throwIfAborted();
    heldOut.push(spec.task(spec.reference(i, "heldOut", i % spec.levels)));
    onTask(i + 1, TASKS);
  }
  const training = trainingTasks(spec);
  const requests = new Set(heldOut.map(({ request }) => request)).size;
  const words = counted(requests, "different held-out request");
  const patterns = patternShare(heldOut, training);
  if (heldOut.every(({ values = [] }) => values.length === 0)) {
    return skipped(
      `${words}; ${patterns.words}. Tasks name no values, so they cannot be compared with those of training. Return values from tasks: the names, numbers and codes in the request`,
    );
  }
  if (requests < ENOUGH) {
    return failed(`${words}; ${ENOUGH} are needed to measure learning. Draw from more values`);
  }
  const unnamed = heldOut.find(({ values = [] }) => values.length === 0);
  if (unnamed !== undefined) {
    return failed(
      `${words}; the task at ${placeOf(spec, unnamed)} names no values. Return values from tasks: the names, numbers and codes in its request, or the request itself if it has none`,
      referenceOf(unnamed),
    );
  }
  const shared = sharedValue(heldOut, new Set(training.flatMap(({ values = [] }) => values)));
  if (shared !== null) {
    const { value, task, share } = shared;
    return failed(
      `${words}; ${percent(share)} of the held-out tasks have a value that training has too, such as ${quoted(value)} at ${placeOf(spec, task)}. Draw it from ofSplit(list), or leave splits: "own" out`,
      referenceOf(task),
    );
  }
  const told = sharedValue(heldOut, await wordsOfTraining(context, training));
  if (told !== null) {
    return failed(
      `${words}; training reads the value ${quoted(told.value)} of ${placeOf(spec, told.task)} in the prompt, in a tool or in a request. Let the tool take any text instead of a list of values, and name every value of a request in values`,
      referenceOf(told.task),
    );
  }
  if (patterns.share < UNSEEN_PATTERNS) {
    return failed(
      `${words} without values of training, but ${patterns.words}; a third is needed. Let tasks use more wordings if split is "heldOut", for example five of twelve, and return pattern`,
    );
  }
  const apart = await splitTools(context);
  if (apart !== null) {
    const [here, there] =
      apart.lacking === "heldOut" ? ["held-out", "training"] : ["training", "held-out"];
    return failed(
      `${words} without values of training, but no ${here} task calls ${apart.tools.join(" or ")}, and ${percent(apart.share)} of the ${there} tasks do. A value that all tasks of a kind have, such as a placeholder, puts the kind into one split: leave it out of values`,
    );
  }
  return passed(`${words} without values of training; ${patterns.words}${rarestKind(heldOut)}`);
}

/** The kind with the fewest held-out tasks. A comparison of a few hundred tasks says little about a rare one. */
function rarestKind(heldOut: readonly Task[]): string {
  const kinds = Object.entries(Object.groupBy(heldOut, ({ kind }) => kind));
  if (kinds.length < 2) return "";
  const tasks = kinds.map(([kind, of = []]) => ({ kind, share: of.length / heldOut.length }));
  const [rarest] = tasks.toSorted((a, b) => a.share - b.share);
  return rarest === undefined
    ? ""
    : `; the rarest kind is ${quoted(rarest.kind)}, ${percent(rarest.share)} of the held-out tasks`;
}

/** How many of the held-out patterns training lacks. */
function patternShare(heldOut: readonly Task[], training: readonly Task[]) {
  const seen = new Set(training.map(({ template }) => template));
  const patterns = [...new Set(heldOut.map(({ template }) => template))];
  const unseen = patterns.filter((pattern) => !seen.has(pattern)).length;
  return {
    share: unseen / patterns.length,
    words: `${unseen} of ${counted(patterns.length, "pattern")} not in training`,
  };
}

/** The first held-out value that is in the set, and the share of the tasks with such a value. */
function sharedValue(heldOut: readonly Task[], known: ReadonlySet<string>) {
  const shared = heldOut.flatMap((task) => {
    const value = task.values?.find((one) => known.has(one));
    return value === undefined ? [] : [{ task, value }];
  });
  const [first] = shared;
  return first === undefined ? null : { ...first, share: shared.length / heldOut.length };
}

/** Words that every rollout of training reads. Numbers are none: limits of a schema are not values. */
async function wordsOfTraining(
  { spec }: CheckContext,
  training: readonly Task[],
): Promise<Set<string>> {
  const [task] = training;
  if (task === undefined) return new Set();
  const { system, tools } = await spec.create(referenceOf(task)).environment.observe();
  const read = [system, JSON.stringify(tools), ...training.map(({ request }) => request)];
  const words = read.flatMap((text) => text.match(/[\p{L}\p{N}_-]+/gu) ?? []);
  return new Set(words.filter((word) => !/^\d+$/.test(word)));
}

function referenceOf({ environment, seed, split }: Task): CheckContext["references"][number] {
  return { environment, seed, split };
}
