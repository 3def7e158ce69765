/** Environments of authors: tasks, tools, verdicts, demonstrations, and mistakes in definitions. */
import {
  derivedSeed,
  type Observation,
  seededRandom,
  type TaskReference,
  type ToolResult,
} from "@waggle/protocol";
import { expect, test } from "vitest";
import { z } from "zod";
import { defineEnvironment, type EnvironmentSpec } from "./index.ts";

const signal = new AbortController().signal;
const CITIES = [
  "rome",
  "lima",
  "oslo",
  "cairo",
  "quito",
  "delhi",
  "paris",
  "tokyo",
  "accra",
  "minsk",
];
const NUMBERS = {
  type: "object",
  properties: { n: { type: "integer" } },
  required: ["n"],
} as const;

/** A notebook into which the requested city must be written twice. */
const notebook = {
  name: "notebook",
  prompt: "You keep notes.",
  tasks: ({ pick }: { readonly pick: <T>(list: readonly T[]) => T }) => {
    const city = `${pick(CITIES)} ${pick(CITIES)}`;
    return { request: `note ${city}`, state: { notes: [] as string[] }, data: { city } };
  },
};

const NOTEBOOK: EnvironmentSpec = defineEnvironment({
  ...notebook,
  levels: 2,
  tools: {
    note: {
      description: "Write a note.",
      parameters: {
        type: "object",
        properties: { text: { type: "string" }, bold: { type: "boolean" } },
        required: ["text"],
        additionalProperties: false,
      },
      run: ({ text, bold }, { notes }) => {
        const mark: "*" | "" = bold === true ? "*" : "";
        notes.push(`${mark}${text.trim()}`);
        return notes.length;
      },
    },
    mail: {
      description: "Send the notes.",
      parameters: z.strictObject({ to: z.email(), copies: z.int().default(1) }),
      run: ({ to, copies }, { notes }) => `${to}: ${copies * notes.length}`,
    },
  },
  verify: ({ state, text, data }) => ({
    success: state.notes.every((note) => note === data.city) && state.notes.length === 2,
    reward: Math.min(1, state.notes.length / 2),
    reasons: [`${state.notes.length} notes`, `said ${text ?? "nothing"}`],
  }),
  *demonstrate({ data }) {
    const { value } = yield ["note", { text: data.city }];
    if (value === 1) yield ["note", { text: data.city }];
    return "Done.";
  },
});

/** Runs turns of one call or one text and returns everything that followed. */
async function played(
  spec: EnvironmentSpec,
  reference: TaskReference,
  ...turns: readonly (string | readonly [string, { readonly [name: string]: unknown }])[]
) {
  const { environment, judge } = spec.create(reference);
  await environment.observe();
  const results: ToolResult[] = [];
  let last: Observation | null = null;
  for (const [i, turn] of turns.entries()) {
    const isText = typeof turn === "string";
    const toolCalls = isText ? [] : [{ id: `c${i}`, name: turn[0], arguments: turn[1] }];
    last = await environment.step({ text: isText ? turn : "", toolCalls }, signal);
    results.push(...last.toolResults);
  }
  const end = turns.at(-1);
  return { results, last, judgment: await judge(typeof end === "string" ? end : null) };
}

/** Success of a demonstrator at its nth task. */
async function demonstrated(spec: EnvironmentSpec, nth: number, mistakes: number) {
  const split = nth % 2 === 0 ? "train" : "heldOut";
  const reference = spec.reference(derivedSeed(nth), split, nth % spec.levels);
  const { environment, judge } = spec.create(reference);
  // A base's demonstrations draw the task and its mistakes from the same seeds.
  const act = await spec.demonstrator(reference, seededRandom(nth), mistakes);
  await environment.observe();
  let seen: Observation | null = null;
  for (let turn = 0; turn < spec.maxTurns; turn += 1) {
    const { text, calls } = act(seen);
    const toolCalls = calls.map((call, i) => ({ id: `${turn}-${i}`, ...call }));
    seen = await environment.step({ text, toolCalls }, signal);
    if (seen.terminated) return (await judge(text)).success;
  }
  return false;
}

test("a seed gives one task of the requested level, and no request is in both splits", () => {
  const requests = { train: new Set<string>(), heldOut: new Set<string>() };
  for (const split of ["train", "heldOut"] as const) {
    for (let seed = 0; seed < 100; seed += 1) {
      const reference = NOTEBOOK.reference(seed * 7919, split, seed % 2);
      expect(NOTEBOOK.levelOf(reference)).toBe(seed % 2);
      expect(NOTEBOOK.task(reference)).toEqual(NOTEBOOK.task({ ...reference }));
      requests[split].add(NOTEBOOK.task(reference).request);
    }
  }
  expect(requests.train.size).toBeGreaterThan(20);
  expect(requests.heldOut.size).toBeGreaterThan(10);
  expect([...requests.train].filter((request) => requests.heldOut.has(request))).toEqual([]);
  expect(() => NOTEBOOK.task({ environment: "shop", seed: 1, split: "train" })).toThrow(
    /belongs to environment "shop", not "notebook"/,
  );
});

test("an author who divides the splits gets the split, and each request as it was drawn", () => {
  const spec = defineEnvironment({
    ...notebook,
    splits: "own",
    tasks: ({ split, level, seed }) => ({
      request: `${split} ${level} ${seed}`,
      state: {},
      data: null,
    }),
    tools: {},
    verify: () => true,
  });
  expect(spec.task(spec.reference(5, "heldOut", 0)).request).toBe("heldOut 0 5");
  expect(spec.task(spec.reference(5, "train", 0)).request).toBe("train 0 5");
});

test("tools change a state of their own rollout, and the verifier reads it with the last text", async () => {
  const reference = NOTEBOOK.reference(4, "train", 0);
  const { request } = NOTEBOOK.task(reference);
  const text = request.replace("note ", "");
  const twice = [
    ["note", { text }],
    ["note", { text: ` ${text} ` }],
  ] as const;
  for (let i = 0; i < 2; i += 1) {
    const { judgment, last } = await played(NOTEBOOK, reference, ...twice, "Done.");
    expect(last?.terminated).toBe(true);
    expect(judgment).toEqual({
      success: true,
      reward: 1,
      parts: { reasons: "2 notes; said Done." },
    });
  }
  const { judgment } = await played(NOTEBOOK, reference, twice[0]);
  expect(judgment).toMatchObject({
    success: false,
    reward: 0.5,
    parts: { reasons: "1 notes; said nothing" },
  });
});

test("wrong arguments, exceptions, hanging tools and long results cost their own call only", async () => {
  const spec = defineEnvironment({
    ...notebook,
    tools: {
      throws: { description: "d", parameters: NUMBERS, run: () => (undefined as never)[0] },
      refuses: {
        description: "d",
        parameters: NUMBERS,
        run: () => Promise.reject(new Error("no such note")),
      },
      hangs: {
        description: "d",
        parameters: NUMBERS,
        timeoutMs: 5,
        run: () => new Promise(() => {}),
      },
      long: { description: "d", parameters: NUMBERS, run: () => "x".repeat(10_000_000) },
      counts: {
        description: "d",
        parameters: NUMBERS,
        run: ({ n }, { notes }) => notes.push(`${n}`),
      },
    },
    verify: ({ state }) => state.notes.length === 1,
  });
  const call = (name: string, n: unknown = 1) => [name, { n }] as const;
  const { results, judgment } = await played(
    spec,
    spec.reference(1, "train", 0),
    call("throws"),
    call("refuses"),
    call("hangs"),
    call("long"),
    call("counts", "one"),
    call("absent"),
    call("counts"),
    "Done.",
  );
  expect(results.map((result) => (result.ok ? result.value : result.error.code))).toEqual([
    "TOOL_FAILED",
    "TOOL_FAILED",
    "TIMEOUT",
    "TOOL_FAILED",
    "INVALID_TOOL_ARGUMENTS",
    "UNKNOWN_TOOL",
    1,
  ]);
  expect(results[1]).toMatchObject({ error: { message: "no such note" } });
  expect(results[2]).toMatchObject({ error: { message: "no result within 5 ms" } });
  expect(results[3]).toMatchObject({ error: { message: expect.stringMatching(/is longer than/) } });
  expect(judgment.success).toBe(true);
});

test("a schema of a library is shown as JSON Schema, fills in defaults and refuses what it forbids", async () => {
  const reference = NOTEBOOK.reference(1, "train", 0);
  const { tools } = await NOTEBOOK.create(reference).environment.observe();
  expect(tools.map(({ parameters }) => parameters["type"])).toEqual(["object", "object"]);
  expect(tools[1]?.parameters).toMatchObject({ required: ["to"] });
  expect(tools[1]?.parameters).not.toHaveProperty("$schema");
  const { results } = await played(
    NOTEBOOK,
    reference,
    ["note", { text: "a" }],
    ["mail", { to: "ann@site.example" }],
    ["mail", { to: "ann" }],
    ["mail", { to: "ann@site.example", copies: 3, extra: 1 }],
  );
  expect(results.map((result) => (result.ok ? result.value : result.error.code))).toEqual([
    1,
    "ann@site.example: 1",
    "INVALID_TOOL_ARGUMENTS",
    "INVALID_TOOL_ARGUMENTS",
  ]);
});

test("checks that JSON Schema cannot express are made by the library, with its message and place", async () => {
  const even = z.strictObject({ n: z.int().refine((n) => n % 2 === 0, "must be even") });
  const spec = defineEnvironment({
    ...notebook,
    tools: { half: { description: "d", parameters: even, run: ({ n }) => n / 2 } },
    verify: () => true,
  });
  const { results } = await played(
    spec,
    spec.reference(1, "train", 0),
    ["half", { n: 4 }],
    ["half", { n: 3 }],
  );
  expect(results).toMatchObject([
    { ok: true, value: 2 },
    { ok: false, error: { code: "INVALID_TOOL_ARGUMENTS", message: "n: must be even" } },
  ]);
});

test("a demonstrator solves every task without mistakes and fails some with them", async () => {
  const rates = [];
  for (const mistakes of [0, 0.7]) {
    let successes = 0;
    for (let i = 0; i < 200; i += 1) {
      if (await demonstrated(NOTEBOOK, i, mistakes)) successes += 1;
    }
    rates.push(successes / 200);
  }
  expect(rates[0]).toBe(1);
  expect(rates[1]).toBeGreaterThan(0.2);
  expect(rates[1]).toBeLessThan(0.8);
});

test("an author's own mistakes replace those of another task", async () => {
  const spec = defineEnvironment({
    ...notebook,
    tools: {},
    verify: ({ text, data }) => text === data.city,
    demonstrate: ({ data }) => [data.city],
    mistake: (turn, { data }) => `not ${data.city}, ${JSON.stringify(turn)}`,
  });
  const reference = spec.reference(1, "train", 0);
  const act = await spec.demonstrator(reference, () => 0, 1);
  expect(act(null).text).toMatch(/^not (\w+ \w+), "\1"$/);
});

test("after a mistake, code of the author that fails ends the task; without one, it is an error", async () => {
  const spec = defineEnvironment({
    ...notebook,
    tools: { find: { description: "d", parameters: NUMBERS, run: ({ n }) => ({ id: n }) } },
    verify: () => true,
    *demonstrate({ data }) {
      const { value } = yield ["find", { n: 1 }];
      yield `${(value as { id: number }).id} ${data.city}`;
    },
    mistake: () => ["find", {}],
  });
  const reference = spec.reference(1, "train", 0);
  const failed: Observation = { toolResults: [], terminated: false };
  const erring = await spec.demonstrator(reference, () => 0, 1);
  expect([erring(null).calls.length, erring(failed).text]).toEqual([1, "I could not do that."]);
  const careful = await spec.demonstrator(reference, () => 0.9, 0);
  careful(null);
  expect(() => careful(failed)).toThrow(
    /demonstrate of "notebook" at seed 1, train, level 0 failed/,
  );
});

test("a simulated user replies to texts until it ends the task", async () => {
  const spec = defineEnvironment({
    ...notebook,
    tools: {},
    user: ({ text, data }) => (text.includes("?") ? `to ${data.city}` : null),
    verify: ({ text, data }) => text === data.city,
  });
  expect(spec.features).toEqual(["user"]);
  const { environment, judge } = spec.create(spec.reference(1, "train", 0));
  const { userMessage } = await environment.observe();
  const city = userMessage.replace("note ", "");
  const asked = await environment.step({ text: "Where?", toolCalls: [] }, signal);
  expect(asked).toEqual({ toolResults: [], userMessage: `to ${city}`, terminated: false });
  expect((await environment.step({ text: city, toolCalls: [] }, signal)).terminated).toBe(true);
  expect(await judge(city)).toEqual({ success: true, reward: 1, parts: {} });
  await expect(environment.step({ text: city, toolCalls: [] }, signal)).rejects.toThrow(
    /environment is ended, not running/,
  );
});

test("demonstrations of an environment without a demonstrator are refused with both remedies", () => {
  const spec = defineEnvironment({ ...notebook, tools: {}, verify: () => true });
  expect(spec.examples).toBeUndefined();
  expect(() => spec.demonstrator(spec.reference(1, "train", 0), () => 0, 0)).toThrow(
    /"notebook" has no demonstrate.*add it, or pass a model with --model/,
  );
});

test("a turn that is none is refused with its place", async () => {
  const spec = defineEnvironment({
    ...notebook,
    tools: {},
    verify: () => true,
    demonstrate: () => [5 as never],
    nearMiss: () => [["a"], [["note"]]],
  });
  const reference = spec.reference(1, "train", 0);
  const act = await spec.demonstrator(reference, () => 0, 0);
  expect(() => act(null)).toThrow(/demonstrate of "notebook" at seed 1.*gave 5 as a turn; write a/);
  const misses = (await spec.examples?.nearMisses(reference)) ?? [];
  expect(misses.map((miss) => miss(null))).toEqual([
    { text: "a", calls: [] },
    { text: "", calls: [{ name: "note", arguments: {} }] },
  ]);
});

test("values of a list belong to one split each, and a list without any is refused", () => {
  const numbers = Array.from({ length: 400 }, (_, i) => i);
  const own: { [split: string]: readonly number[] } = {};
  const spec = defineEnvironment({
    ...notebook,
    splits: "own",
    tasks: ({ split, ofSplit }) => {
      own[split] = ofSplit(numbers);
      return { request: "x", state: {}, data: null };
    },
    tools: {},
    verify: () => true,
  });
  for (const split of ["train", "heldOut"] as const) spec.task(spec.reference(1, split, 0));
  const { train = [], heldOut = [] } = own;
  expect([...train, ...heldOut].toSorted((a, b) => a - b)).toEqual(numbers);
  expect(Math.abs(heldOut.length - 100)).toBeLessThan(30);

  const few = { ...notebook, tools: {}, verify: () => true };
  const strict = defineEnvironment({
    ...few,
    tasks: ({ ofSplit }) => ({ request: String(ofSplit(train)[0]), state: {}, data: null }),
  });
  expect(() => strict.task(strict.reference(1, "heldOut", 0))).toThrow(
    /ofSplit got \d+ entries, and none of them is of the split heldOut; write more of them/,
  );
});
