/** Checks of what is drawn: tasks, splits, prompts and the tools' schemas. */
import { isObject, mulberry32, type TaskReference } from "@waggle/protocol";
import { impossibleNames, schemaViolation, uncheckedKeywords } from "../../../json-schema-check.ts";
import {
  type CheckContext,
  counted,
  failed,
  type Finding,
  passed,
  percent,
  placeOf,
  played,
  quoted,
  sampledReferences,
  skipped,
  visited,
} from "./check-context.ts";
import { isWithoutDemonstrator } from "./verifier-checks.ts";

/** Fewest tasks of each split and level to draw twice: a draw costs little, and may be unseeded in rare tasks only. */
const LEAST_DRAWN = 50;

/** The same seed gives the same task. */
export async function checkTasks(context: CheckContext): Promise<Finding> {
  const { spec } = context;
  const more = sampledReferences(spec, LEAST_DRAWN);
  const references = more.length > context.references.length ? more : context.references;
  const drawn = async (reference: TaskReference) => ({
    request: spec.task(reference).request,
    shown: JSON.stringify([
      spec.task(reference),
      await spec.create(reference).environment.observe(),
    ]),
    state: JSON.stringify(spec.startState?.(reference)),
  });
  const before = new Map<TaskReference, Awaited<ReturnType<typeof drawn>>>();
  // All tasks before the second draw: it then follows a different one.
  for (const reference of references) before.set(reference, await drawn(reference));
  const found = await visited(context, references, async (reference) => {
    const [first, second] = [before.get(reference), await drawn(reference)];
    if (first === undefined) return null;
    const isSameTask = first.shown === second.shown;
    if (isSameTask && first.state === second.state) return null;
    const requests =
      first.request === second.request
        ? ""
        : `: ${quoted(first.request)} and then ${quoted(second.request)}`;
    return failed(
      `${placeOf(spec, reference)} gave another ${isSameTask ? "state" : "task"} when it was drawn again${requests}. Draw from random and pick only, not from unseeded random numbers, the time or a shared list that changes`,
      reference,
    );
  });
  const kinds = new Set(references.map((reference) => spec.task(reference).request)).size;
  return (
    found ??
    passed(`${counted(references.length, "task")} with ${kinds} different requests, drawn twice`)
  );
}

/** Tasks of each split to compare: enough to see most of the requests of a small environment. */
const SPLIT_TASKS = 300;

/** Share of held-out tasks that may occur in training by chance, where much of a task is hidden in its state. */
const SHARED_BY_CHANCE = 0.05;

/** No held-out task is a training task: the request differs, or what follows the demonstrator's turns. */
export async function checkSplits(context: CheckContext): Promise<Finding> {
  const { spec } = context;
  const all = sampledReferences(spec, SPLIT_TASKS);
  const requests = {
    train: new Map<string, TaskReference[]>(),
    heldOut: new Map<string, TaskReference[]>(),
  };
  await visited(context, all, (reference) => {
    const { request } = spec.task(reference);
    const own = requests[reference.split];
    own.set(request, [...(own.get(request) ?? []), reference]);
    return null;
  });
  const { train, heldOut } = requests;
  const both = [...heldOut].filter(([request]) => train.has(request));
  const counts = `${counted(train.size, "training request")}, ${heldOut.size} held out`;
  if (both.length === 0) return passed(`${counts}; no request is in both splits`);
  const repeated: TaskReference[] = [];
  await visited(
    context,
    both.flatMap(([, references]) => references),
    async (reference) => {
      const alike = train.get(spec.task(reference).request) ?? [];
      const solutions = await Promise.all(alike.map((one) => solutionOf(context, one)));
      if (solutions.includes(await solutionOf(context, reference))) repeated.push(reference);
      return null;
    },
  );
  const share = repeated.length / all.filter(({ split }) => split === "heldOut").length;
  const words = `${counts}, ${percent(both.length / heldOut.size)} of them also in training; ${percent(share)} of the held-out tasks have a training task with the same request and solution`;
  const [first] = repeated;
  if (first === undefined || share <= SHARED_BY_CHANCE) return passed(words);
  return failed(
    `${words}, such as ${quoted(spec.task(first).request)} at ${placeOf(spec, first)}. Draw from other values for each split, or leave splits: "own" out`,
    first,
  );
}

/** What the demonstrator does and sees; the same text for all tasks if there is none. */
async function solutionOf(context: CheckContext, reference: TaskReference): Promise<string> {
  try {
    const act = await context.spec.demonstrator(reference, mulberry32(0), 0);
    const { turns } = await played(context, reference, act);
    return JSON.stringify(turns);
  } catch (error) {
    if (isWithoutDemonstrator(error)) return "";
    throw error;
  }
}

/** Texts that look like credentials. */
const CREDENTIALS: { readonly [kind: string]: RegExp } = {
  "a private key": /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  "an API key": /\b(?:sk|pk|rk)[-_](?:live|test|proj|ant)?[-_]?[A-Za-z0-9_-]{16,}/,
  "an access key of AWS": /\bAKIA[0-9A-Z]{16}\b/,
  "a token of GitHub": /\bgh[pousr]_[A-Za-z0-9]{20,}/,
};

/** Shortest answer that is looked for in the prompt. */
const ANSWER_CHARACTERS = 3;

const PROMPT = "the prompt";

/** What the model reads before a task: where, and its text. */
type Places = readonly (readonly [name: string, text: string])[];

const isIn = (places: Places, matches: (text: string) => boolean): boolean =>
  places.some(([, text]) => matches(text));

/** The system message and the tools hold neither credentials nor the answer of their task. */
export async function checkSecrets(context: CheckContext): Promise<Finding> {
  const { spec, references } = context;
  const answers = new Map<TaskReference, { readonly places: Places; readonly answer: string }>();
  const found = await visited(context, references, async (reference) => {
    const { system, tools } = await spec.create(reference).environment.observe();
    const places: Places = [
      [PROMPT, system],
      ...tools.map((tool) => [`the tool ${quoted(tool.name)}`, JSON.stringify(tool)] as const),
    ];
    const [kind] =
      Object.entries(CREDENTIALS).find(([, pattern]) =>
        isIn(places, (text) => pattern.test(text)),
      ) ?? [];
    if (kind !== undefined) {
      return failed(
        `the prompt or a tool's description contains what looks like ${kind}; everything in it reaches the page and the model`,
        reference,
      );
    }
    if (spec.examples === undefined) return null;
    const { turns } = await played(context, reference, await spec.examples.gold(reference));
    const answer = turns.at(-1)?.action.text.trim() ?? "";
    if (answer.length >= ANSWER_CHARACTERS) answers.set(reference, { places, answer });
    return null;
  });
  if (found !== null) return found;
  const distinct = new Set([...answers.values()].map(({ answer }) => answer));
  for (const [reference, { places, answer }] of answers) {
    // A prompt that lists every answer gives none away.
    const others = [...distinct].filter((other) => other !== answer);
    const listed = others.filter((other) => isIn(places, (text) => text.includes(other))).length;
    const [where] = places.find(([, text]) => text.includes(answer)) ?? [];
    if (others.length === 0 || where === undefined || listed > others.length / 2) continue;
    const remedy =
      where === PROMPT
        ? "Move it to the state, where only tools find it"
        : "Word its description or the answer differently, and keep what the answer says in the state";
    return failed(
      `${where} contains the answer ${quoted(answer)} of ${placeOf(spec, reference)}, and not those of other tasks. ${remedy}`,
      reference,
    );
  }
  return passed("the prompt contains no credentials and no task's own answer");
}

/** Values that reach every keyword of a schema. */
const SAMPLE_VALUES: readonly unknown[] = ["a", 1, true, null, ["a"], { a: "a" }];

/** The tools' schemas can be used to check arguments. */
export async function checkSchemas({ spec, references }: CheckContext): Promise<Finding> {
  const [reference] = references;
  if (reference === undefined) return skipped("there is no task");
  const { tools } = await spec.create(reference).environment.observe();
  for (const { name, parameters } of tools) {
    try {
      const [unchecked] = uncheckedKeywords(parameters);
      if (unchecked !== undefined) {
        return failed(
          `the parameters of ${name} have ${unchecked}, which no call is checked against; write patterns that JavaScript compiles, and $ref only to parts of the same schema`,
        );
      }
      const [impossible] = impossibleNames(parameters);
      if (impossible !== undefined) {
        return failed(
          `the parameters of ${name} require ${quoted(impossible)}, which is not in properties, and additionalProperties is false, so that every call fails; correct the name in required, or add it to properties`,
        );
      }
      for (const value of SAMPLE_VALUES) {
        const { properties } = parameters;
        const names = isObject(properties) ? Object.keys(properties) : [];
        schemaViolation(parameters, Object.fromEntries(names.map((one) => [one, value])));
      }
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return failed(
        `the parameters of ${name} are no JSON Schema that arguments can be checked with: ${message.slice(0, 200)}`,
      );
    }
  }
  return passed(
    tools.length === 0
      ? "there are no tools"
      : `the arguments of ${counted(tools.length, "tool")} can be checked: ${tools.map(({ name }) => name).join(", ")}`,
  );
}
