/** Tasks with invented tools: right turns solve them, mistakes do not, and the splits share no name and no frame. */
import type { Observation, TaskReference, TaskSplit } from "@waggle/protocol";
import { expect, test } from "vitest";
import { sampleSize } from "../../../../test/fixtures/long.ts";
import type { DemonstratedAction, Demonstrator, Judgment } from "../environment-spec.ts";
import { FIELDS } from "./fields.ts";
import { INVENTED_TOOLS as SPEC } from "./invented-tools.ts";
import { scriptOf } from "./script-drawing.ts";
import { SUBJECTS } from "./subjects.ts";
import { ACTIONS } from "./tool-sets.ts";

const signal = new AbortController().signal;
const LEVELS = [0, 1, 2];

const references = (split: TaskSplit, level: number, count: number): TaskReference[] =>
  Array.from({ length: count }, (_, i) => SPEC.reference(7919 * i + level, split, level));

/** The first training task of a kind. */
function ofKind(kind: string): TaskReference {
  for (const reference of references("train", 1, 1000)) {
    if (scriptOf(reference).kind === kind) return reference;
  }
  throw new Error(`no task of the kind ${kind}`);
}

async function judged(reference: TaskReference, act: Demonstrator): Promise<Judgment> {
  const { environment, judge } = SPEC.create(reference);
  await environment.observe();
  let observation: Observation | null = null;
  let text = "";
  for (let turn = 0; turn < SPEC.maxTurns && observation?.terminated !== true; turn += 1) {
    const action = act(observation);
    ({ text } = action);
    const toolCalls = action.calls.map((call, i) => ({ id: `c${turn}-${i}`, ...call }));
    observation = await environment.step({ text, toolCalls }, signal);
  }
  return judge(text);
}

const gold = (reference: TaskReference): Demonstrator =>
  SPEC.examples?.gold(reference) as Demonstrator;

/** The gold turns, with another turn before the last one. */
function withExtra(reference: TaskReference, extra: DemonstratedAction): Demonstrator {
  const act = gold(reference);
  const { rounds, question } = scriptOf(reference);
  const before = rounds.length + (question === undefined ? 0 : 1);
  let turn = -1;
  return (observation) => {
    turn += 1;
    return turn === before ? extra : act(observation);
  };
}

test.each(LEVELS)("level %i: the right turns succeed and a mistake fails", async (level) => {
  for (const split of ["train", "heldOut"] as const) {
    for (const reference of references(split, level, sampleSize(12, 300))) {
      expect(await judged(reference, gold(reference))).toMatchObject({
        reward: 1,
        success: true,
        parts: { tool: 1, arguments: 1 },
      });
      for (const act of (await SPEC.examples?.nearMisses(reference)) ?? []) {
        expect({ reference, ...(await judged(reference, act)) }).toMatchObject({ success: false });
      }
    }
  }
});

test("one call too many fails, if it changes something", async () => {
  const reference = ofKind("find-and-act");
  const [search, act] = scriptOf(reference).rounds.map(([call]): DemonstratedAction => ({
    text: "",
    calls: [{ name: call?.name ?? "", arguments: { ...call?.arguments } }],
  }));
  if (search === undefined || act === undefined) throw new Error("the task has two calls");
  expect((await judged(reference, withExtra(reference, act))).success).toBe(false);
  expect((await judged(reference, withExtra(reference, search))).success).toBe(true);
});

test("a call before the question fails, and a refusal does not solve a task that can be solved", async () => {
  const asking = ofKind("missing-value");
  const [call] = scriptOf(asking).rounds.flat();
  const guess = {
    text: "",
    calls: [{ name: call?.name ?? "", arguments: { ...call?.arguments } }],
  };
  const end = { text: "Done.", calls: [] };
  const turns = [guess, end];
  expect((await judged(asking, () => turns.shift() ?? end)).success).toBe(false);
  const refusal = { text: "Sorry, I can't do that.", calls: [] };
  expect((await judged(ofKind("one-call"), () => refusal)).success).toBe(false);
  expect((await judged(ofKind("no-tool"), () => refusal)).success).toBe(true);
});

test("case and outer spaces of texts do not count, other differences do", async () => {
  const reference = references("train", 2, 100).find((one) =>
    Object.values(scriptOf(one).rounds[0]?.[0]?.arguments ?? {}).every(
      (value) => typeof value === "string",
    ),
  ) as TaskReference;
  const [call] = scriptOf(reference).rounds.flat();
  const changed = (change: (text: string) => string): Demonstrator => {
    const texts = Object.entries(call?.arguments ?? {}).map(([key, value]) => [
      key,
      typeof value === "string" ? change(value) : value,
    ]);
    const turns = [
      { text: "", calls: [{ name: call?.name ?? "", arguments: Object.fromEntries(texts) }] },
    ];
    return () => turns.shift() ?? { text: "Done.", calls: [] };
  };
  expect(
    (
      await judged(
        reference,
        changed((text) => ` ${text.toUpperCase()}`),
      )
    ).success,
  ).toBe(true);
  expect(
    (
      await judged(
        reference,
        changed((text) => `${text}x`),
      )
    ).success,
  ).toBe(false);
});

test("training tasks have no function name and no frame of held-out tasks", () => {
  const tasks = (split: TaskSplit, count: number) =>
    LEVELS.flatMap((level) => references(split, level, count)).map(scriptOf);
  const heldOut = tasks("heldOut", sampleSize(100, 1000));
  const names = new Set(heldOut.flatMap(({ tools }) => tools.map(({ name }) => name)));
  expect(heldOut.some(({ template }) => template.includes("-unseen-"))).toBe(true);
  for (const { tools, template } of tasks("train", sampleSize(200, 1667))) {
    expect(template).not.toContain("-unseen-");
    expect(tools.filter(({ name }) => names.has(name))).toStrictEqual([]);
  }
});

test("no noun belongs to two subjects, and requests name the thing and the value", () => {
  const nouns = SUBJECTS.flatMap((subject) => subject.nouns);
  expect(nouns.filter((noun, i) => nouns.indexOf(noun) !== i)).toStrictEqual([]);
  const fields = new Set(Object.keys(FIELDS));
  expect(SUBJECTS.filter((subject) => !subject.fields.every((key) => fields.has(key)))).toEqual([]);
  const keys = ACTIONS.map(({ key }) => key);
  expect(new Set(keys).size).toBe(keys.length);
  const names = ACTIONS.flatMap((action) => action.names);
  expect(names.filter((name, i) => names.indexOf(name) !== i)).toStrictEqual([]);
  for (const { clauses, wishes, target, value } of ACTIONS) {
    for (const text of [...clauses, ...wishes]) {
      expect([text, text.includes("{t}")]).toStrictEqual([text, target === true]);
      expect([text, text.includes("{v}")]).toStrictEqual([text, value !== undefined]);
    }
  }
});

test("a seed determines the task, and every task has tools with different names and valid signatures", async () => {
  for (const reference of references("train", 1, 12)) {
    expect(SPEC.task(reference)).toStrictEqual(SPEC.task({ ...reference }));
    const { tools } = await SPEC.create(reference).environment.observe();
    expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length);
    expect(tools.length).toBeGreaterThan(1);
    expect(tools.length).toBeLessThan(9);
    for (const { name } of tools) expect(name).toMatch(/^[\w-]{1,64}$/);
  }
});
