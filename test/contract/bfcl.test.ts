/** The cases of the function calling leaderboard: their rules, and that training data has nothing of them. */
import { DEFAULT_DEMONSTRATIONS, SHOP } from "@waggle/demo/environment";
import type { EnvironmentSpec } from "@waggle/environments";
import { isObject } from "@waggle/protocol";
import { expect, test } from "vitest";
import { bfclTool, readBfclCases } from "../../apps/demo/eval-base/bfcl/bfcl-cases.ts";
import type { BfclCase } from "../../apps/demo/eval-base/bfcl/bfcl-cases.ts";
import { judgeCalls } from "../../apps/demo/eval-base/bfcl/bfcl-judgment.ts";
import { bfclOverlap } from "../../apps/demo/eval-base/bfcl/bfcl-overlap.ts";
import { sampleSize } from "../fixtures/long.ts";

const CASES = readBfclCases();

/** Environments whose demonstrations are training data of base models, with the names that they share and why. */
const TRAINED: readonly { readonly spec: EnvironmentSpec; readonly names: readonly string[] }[] = [
  // A tool of the page is called so, with other arguments. It is older than these cases here, and two of them have it.
  { spec: SHOP, names: ["convert_currency"] },
  { spec: DEFAULT_DEMONSTRATIONS, names: ["convert_currency"] },
];

test.each(TRAINED)(
  "training data of $spec.name shares nothing with BFCL",
  async ({ spec, names }) => {
    expect(await bfclOverlap(spec, sampleSize(30, 2000), { cases: CASES })).toEqual({
      names,
      grams: [],
    });
  },
);

test("a name, a wording or a description of BFCL in training data is found", async () => {
  const cases = CASES.slice(400, 401);
  const { question, functions } = cases[0] as BfclCase;
  const copied = (userMessage: string, tools = functions.slice(0, 0).map(bfclTool)) => ({
    ...SHOP,
    create: (reference: Parameters<typeof SHOP.create>[0]) => {
      const instance = SHOP.create(reference);
      const { environment } = instance;
      const observe = async () => {
        const first = await environment.observe();
        return { ...first, userMessage, tools: [...first.tools, ...tools] };
      };
      return { ...instance, environment: { ...environment, observe } };
    },
  });
  const words = question.split(" ").slice(2, 12).join(" ").toUpperCase();
  expect((await bfclOverlap(copied(words), 1, { cases })).grams.length).toBeGreaterThan(0);
  const named = await bfclOverlap(copied(`call ${functions[1]?.name}`), 1, { cases });
  expect(named).toEqual({ names: [functions[1]?.name], grams: [] });
  const described = await bfclOverlap(copied("Hello", functions.map(bfclTool)), 1, { cases });
  expect(described.names).toHaveLength(functions.length);
  expect(described.grams.length).toBeGreaterThan(0);
});

/** A call with the first accepted value of each argument. */
function goldCall({ answer }: BfclCase): { name: string; arguments: Record<string, unknown> } {
  const [name, accepted] = Object.entries(answer)[0] ?? ["", {}];
  const values = Object.entries(accepted)
    .filter(([, choices]) => choices.some((one) => one !== ""))
    .map(([key, choices]) => [key, plainValue(choices.find((one) => one !== ""))] as const);
  return { name: name.replaceAll(".", "_"), arguments: Object.fromEntries(values) };
}

/** In answers, an object has a list of accepted values for each key. */
function plainValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainValue);
  if (!isObject(value)) return value;
  const entries = Object.entries(value as Record<string, unknown[]>);
  return Object.fromEntries(
    entries
      .filter(([, choices]) => choices.some((one) => one !== ""))
      .map(([key, choices]) => [key, choices.find((one) => one !== "")]),
  );
}

test("there are 400 simple and 200 multiple cases, and their own answers are right", () => {
  const count = (category: string): number =>
    CASES.filter((one) => one.category === category).length;
  expect([count("simple"), count("multiple")]).toEqual([400, 200]);
  const wrong = CASES.filter((one) => !judgeCalls(one, [goldCall(one)]).arguments);
  expect(wrong.map(({ id }) => id)).toEqual([]);
});

test("the tools of a case have names and types that a policy can be constrained to", () => {
  const tools = CASES.flatMap(({ functions }) => functions.map(bfclTool));
  expect(tools.filter(({ name }) => !/^[a-zA-Z0-9_-]{1,64}$/.test(name))).toEqual([]);
  expect(JSON.stringify(tools)).not.toMatch(/"type":"(?:dict|float|tuple|any)"/);
});

const CASE: BfclCase = {
  id: "own",
  category: "simple",
  question: "?",
  functions: [
    {
      name: "a.b",
      description: "",
      parameters: {
        type: "dict",
        required: ["n", "where"],
        properties: {
          n: { type: "integer" },
          where: { type: "string" },
          list: { type: "array", items: { type: "string" } },
          more: { type: "dict", properties: { x: { type: "float" } } },
        },
      },
    },
  ],
  answer: {
    "a.b": { n: [3], where: ["New York, NY"], list: [["Red-1"], ""], more: [{ x: [1.5] }, ""] },
  },
};

const RIGHT = { n: 3, where: "new york NY" };

test.each([
  ["spelled otherwise", RIGHT, true],
  ["with an optional list and object", { ...RIGHT, list: ["red 1"], more: { x: 1.5 } }, true],
  ["with a fraction", { ...RIGHT, n: 3.5 }, false],
  ["with a text for a number", { ...RIGHT, n: "3" }, false],
  ["without a required argument", { n: 3 }, false],
  ["with an unknown argument", { ...RIGHT, extra: 1 }, false],
  ["with another value", { ...RIGHT, where: "Boston" }, false],
  ["with another list", { ...RIGHT, list: ["Red-1", "Red-2"] }, false],
  ["with an object without its key", { ...RIGHT, more: {} }, false],
] as const)("a call %s is judged by the rules of BFCL", (_, args, isRight) => {
  expect(judgeCalls(CASE, [{ name: "a_b", arguments: args }])).toEqual({
    tool: true,
    arguments: isRight,
  });
});

test("two calls, another function and no call are wrong", () => {
  const call = { name: "a_b", arguments: RIGHT };
  const wrong = { tool: false, arguments: false };
  for (const calls of [[], [call, call], [{ ...call, name: "a" }]]) {
    expect(judgeCalls(CASE, calls)).toEqual(wrong);
  }
});
