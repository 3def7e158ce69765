/** The scorer on requests of this test and policies that follow a script. */
import { FULL_SUPPORT } from "@waggle/protocol";
import { ByteTokenizer, ScriptedPolicy } from "@waggle/testing";
import { createChatFormat, nanoTokenizerConfig } from "@waggle/text";
import { describe, expect, test } from "vitest";
import { asksBack, refuses, saysFact, showsMarkup } from "./answer-text.ts";
import { judgeRequest } from "./judged-request.ts";
import { playRequest } from "./played-request.ts";
import { requestResults } from "./request-results.ts";
import type { RequestResults } from "./request-results.ts";
import { parseTypedRequests } from "./typed-request.ts";

const tokenizer = new ByteTokenizer();
const format = createChatFormat({ tokenizer, tokenizerConfig: nanoTokenizerConfig(16_384) });

const line = (product: string, quantity = 1) => ({ product, quantity });

const REQUESTS = parseTypedRequests(
  JSON.stringify(
    [
      { turns: ["Price of p49?"], features: ["question"], expect: { cart: [], answer: [["199"]] } },
      { turns: ["p49, 2 pieces"], features: ["quantity"], expect: { cart: [line("p49", 2)] } },
      {
        turns: ["p49 and p51"],
        features: ["several"],
        expect: { cart: [line("p49"), line("p51")] },
      },
      {
        turns: ["p49", "2 pieces"],
        features: ["correction"],
        expect: { cart: [line("p49", 2)] },
      },
      {
        turns: ["p53 out"],
        features: ["typo"],
        cart: [line("p53"), line("p54")],
        expect: { cart: [line("p54")] },
      },
      { turns: ["Sing"], features: ["out-of-scope"], expect: { cart: [], refusal: true } },
      { turns: ["A chair"], features: ["ambiguous"], expect: { cart: [], asks: true } },
    ].map((one, nth) => ({ id: `t90${nth}`, cart: [], why: "by the catalogue", ...one })),
  ),
);

type Said = readonly [text: string, ...calls: { name: string; arguments: object }[]];

const add = (id: string, quantity = 1) => ({ name: "add_to_cart", arguments: { id, quantity } });
const remove = (id: string) => ({ name: "remove_from_cart", arguments: { id } });

/** The turns of a policy that does everything right, by request. */
const RIGHT: readonly (readonly Said[])[] = [
  [["It costs 199 EUR."]],
  [["", add("p49", 2)], ["Two Nordic Chairs are in the cart."]],
  [["", add("p49"), add("p51")], ["Both are in the cart."]],
  [["", add("p49")], ["Done."], ["", add("p49")], ["Two now."]],
  [["", remove("p53")], ["It is out."]],
  [["I cannot do that. I help with this shop."]],
  [["Which one do you mean?"]],
];

async function resultsOf(
  script: (nth: number) => readonly (Said | string)[],
): Promise<RequestResults> {
  const judged = [];
  for (const [nth, request] of REQUESTS.entries()) {
    const turns = script(nth).map((said) =>
      typeof said === "string"
        ? [...tokenizer.encodeTemplate(said), format.stopTokenIds[0] ?? 0]
        : format.encodeAssistant(
            said[0],
            said.slice(1) as object[] as { name: string; arguments: object }[],
          ),
    );
    const played = await playRequest(
      {
        policy: new ScriptedPolicy({ turns }),
        format,
        sampling: FULL_SUPPORT,
        limits: { maxTurns: 4, maxTokensPerTurn: 400, timeoutMs: 0 },
        seed: 1,
      },
      request,
      new AbortController().signal,
    );
    judged.push(judgeRequest(request, played));
  }
  return requestResults(judged);
}

const replaced =
  (changes: { readonly [nth: number]: readonly (Said | string)[] }) =>
  (nth: number): readonly (Said | string)[] =>
    changes[nth] ?? RIGHT[nth] ?? [];

test("right calls and answers solve every request", async () => {
  const results = await resultsOf(replaced({}));
  expect(results).toMatchObject({
    requests: 7,
    solved: { rate: 1, trials: 7 },
    actedUnasked: { rate: 0 },
    brokenMarkup: { rate: 0 },
    refusalsRight: { rate: 1, trials: 1 },
    refusedNeedlessly: { rate: 0, trials: 6 },
    askedRightly: { rate: 1, trials: 1 },
    askedNeedlessly: { rate: 0, trials: 6 },
  });
  expect(
    Object.entries(results.byFeature).map(([name, { solved }]) => [name, solved?.trials]),
  ).toEqual([
    ["no action", 1],
    ["out of scope", 1],
    ["typing errors", 1],
    ["negation", 1],
    ["several wishes", 1],
    ["several turns", 1],
  ]);
});

test("a change without a request counts, even if it is changed back; a wish left undone does not", async () => {
  const results = await resultsOf(
    replaced({
      0: [["", add("p49")], ["", remove("p49")], ["It costs 199 EUR."]],
      1: [["", add("p49", 3)], ["Three."]],
      2: [["", add("p49")], ["The first one is in the cart."]],
      3: [["", add("p49")], ["Done."], ["Fine."]],
      4: [["", remove("p54")], ["It is out."]],
      5: [["", add("p13")], ["I cannot do that."]],
    }),
  );
  expect(results.actedUnasked).toMatchObject({ successes: 4 });
  expect(results.byFeature["several wishes"]?.actedUnasked).toMatchObject({ successes: 0 });
  expect(results.byFeature["several turns"]?.actedUnasked).toMatchObject({ successes: 0 });
  expect(results.refusalsRight).toMatchObject({ rate: 0 });
});

test("fragments of calls in an answer count as broken markup, and such a request is not solved", async () => {
  const results = await resultsOf(
    replaced({
      0: [['It costs 199 EUR. {"name"']],
      1: [["", add("p49", 2)], ["add_to_cart p49"]],
      5: ["<tool_call>{oops", "<tool_call>{oops"],
    }),
  );
  expect(results.brokenMarkup).toMatchObject({ successes: 3 });
  expect(results.solved).toMatchObject({ successes: 4 });
});

test("a policy that refuses everything is right out of scope only", async () => {
  const results = await resultsOf((nth) =>
    nth === 3 ? [["I can't."], ["I can't."]] : [["I can't."]],
  );
  expect(results).toMatchObject({
    solved: { successes: 1 },
    actedUnasked: { rate: 0 },
    refusalsRight: { rate: 1 },
    refusedNeedlessly: { rate: 1 },
    askedRightly: { rate: 0 },
  });
});

test("a policy that never ends its turns solves nothing", async () => {
  const results = await resultsOf(() =>
    Array.from({ length: 8 }, (): Said => ["", { name: "view_cart", arguments: {} }]),
  );
  expect(results).toMatchObject({ solved: { rate: 0 }, actedUnasked: { rate: 0 } });
});

describe("the text of an answer", () => {
  test("has a number only as a whole", () => {
    for (const text of ["It is 54.", "€54", "54.00 EUR", "54EUR", "1, 54 or 2"]) {
      expect(saysFact(text, "54")).toBe(true);
    }
    for (const text of ["154", "54.5", "p54", "0.54", "540", "54th"]) {
      expect(saysFact(text, "54")).toBe(false);
    }
    expect(saysFact("The PHONE", "one")).toBe(false);
    expect(saysFact("One of them", "one")).toBe(true);
    expect(saysFact("It isn’t", "n't")).toBe(true);
  });

  test("refuses, asks back or shows markup", () => {
    const sure = ["It is in the cart.", "Two lamps cost 98 EUR. Anything else?", "I want 3 > 2 <3"];
    const texts = [
      "We don't have that.",
      "I can only help in this shop.",
      "There is no such hat.",
      "Which color?",
      "Do you mean the lamp? Tell me.",
      "</tool_call>",
      "<|im_end|>",
      "[search(",
      "see {",
      '"id": 1',
      "remove_from_cart",
      "<",
    ];
    for (const is of [refuses, asksBack, showsMarkup]) expect(sure.filter(is)).toEqual([]);
    expect(texts.filter(refuses)).toEqual(texts.slice(0, 3));
    expect(texts.filter(asksBack)).toEqual(texts.slice(3, 5));
    expect(texts.filter(showsMarkup)).toEqual(texts.slice(5));
  });
});
