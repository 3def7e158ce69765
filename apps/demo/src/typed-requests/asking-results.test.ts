/** Asking before unsure calls, with scripted policies and requests written for these tests. */
import { FULL_SUPPORT } from "@waggle/protocol";
import { ByteTokenizer, ScriptedPolicy } from "@waggle/testing";
import { createChatFormat, nanoTokenizerConfig } from "@waggle/text";
import { expect, test } from "vitest";
import { createShop } from "../environment/shop.ts";
import { createAskedPerson } from "./asked-person.ts";
import { createThresholdSweep } from "./asking-results.ts";
import { judgeRequest } from "./judged-request.ts";
import { playRequest } from "./played-request.ts";
import type { Asking, PlayedRequest } from "./played-request.ts";
import type { TypedCart, TypedRequest } from "./typed-request.ts";

const tokenizer = new ByteTokenizer();
const format = createChatFormat({ tokenizer, tokenizerConfig: nanoTokenizerConfig(16_384) });

const line = (product: string, quantity = 1) => ({ product, quantity });
const add = (id: string, quantity = 1) => ({ name: "add_to_cart", arguments: { id, quantity } });
const remove = (id: string) => ({ name: "remove_from_cart", arguments: { id } });

function requestOf(cart: TypedCart, expected: TypedCart): TypedRequest {
  const expect = { cart: expected };
  return { id: "t900", turns: ["Please."], cart, features: [], expect, why: "by the test" };
}

type Call = ReturnType<typeof add> | ReturnType<typeof remove>;

/** Plays a request with a policy that makes these calls, one turn for each list, and then answers. */
function play(
  request: TypedRequest,
  turns: readonly (readonly Call[])[],
  asking?: Asking,
): Promise<PlayedRequest> {
  const policy = new ScriptedPolicy({
    turns: [...turns, null].map((calls) =>
      format.encodeAssistant(calls === null ? "Done." : "", calls ?? []),
    ),
  });
  const limits = { maxTurns: 12, maxTokensPerTurn: 400, timeoutMs: 0 };
  const player = { policy, format, sampling: FULL_SUPPORT, limits, seed: 1 };
  return playRequest(player, request, new AbortController().signal, asking);
}

/** Any probability from a confidence of the scripted policy, which differs from turn to turn. */
const probabilityOf = (confidence: number): number => (-10 * Math.log(confidence)) % 1;
const unsure = { probabilityOf: () => 0.4, threshold: 0.5 };

test("an unsure call runs only if the request wants it, and a refused one leaves the cart as it was", async () => {
  const request = requestOf([line("p53")], [line("p53"), line("p49")]);
  const wanted = await play(request, [[add("p49")]], unsure);
  expect(wanted.cart).toEqual([
    { id: "p53", quantity: 1 },
    { id: "p49", quantity: 1 },
  ]);
  const refused = await play(request, [[add("p13")], [remove("p53")]], unsure);
  expect(refused).toMatchObject({ cart: [{ id: "p53", quantity: 1 }], hasChangedCart: false });
  expect(judgeRequest(request, refused)).toMatchObject({ hasActedUnasked: false });
  const call = { probability: 0.4, wasAsked: true };
  expect(wanted.changingCalls).toEqual([{ ...call, isWanted: true }]);
  expect(refused.changingCalls).toEqual(Array(2).fill({ ...call, isWanted: false }));
});

test("a sure call runs unasked, and without asking nothing is recorded", async () => {
  const request = requestOf([], []);
  const sure = await play(request, [[add("p13")]], { ...unsure, threshold: 0.3 });
  expect(sure).toMatchObject({ hasChangedCart: true, changingCalls: [{ wasAsked: false }] });
  expect(judgeRequest(request, sure)).toMatchObject({ hasActedUnasked: true });
  expect((await play(request, [[add("p13")]])).changingCalls).toEqual([]);
});

test("threshold 0 never asks, and 1 asks before every call that changes the cart", async () => {
  const request = requestOf([], [line("p49", 2)]);
  const asked = async (probability: number, threshold: number) =>
    (
      await play(request, [[add("p49")], [add("p49")]], {
        probabilityOf: () => probability,
        threshold,
      })
    ).changingCalls.map(({ wasAsked }) => wasAsked);
  expect(await asked(0, 0)).toEqual([false, false]);
  expect(await asked(1, 1)).toEqual([true, true]);
});

test("the person wants what brings the cart closer to an expected one, also within a turn", () => {
  const carts = [[line("p49", 2)], [line("p51")]];
  const shop = createShop([{ id: "p53", quantity: 1 }]);
  const person = createAskedPerson(carts, shop);
  const wants = ({ name, arguments: args }: Call): boolean => person.wants(name, args, true);
  expect([add("p49"), add("p49"), add("p49")].map(wants)).toEqual([true, true, false]);
  expect([add("p51"), remove("p53"), add("p53"), add("p13")].map(wants)).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect(wants(remove("p13"))).toBe(false);
  person.startTurn();
  expect(wants(add("p49", 3))).toBe(false);
  expect(person.wants("add_to_cart", {}, true)).toBe(false);
});

test("a sweep gives what playing at each threshold gives", async () => {
  const cases: readonly (readonly [TypedRequest, readonly (readonly Call[])[]])[] = [
    [requestOf([], [line("p49", 2)]), [[add("p49")], [add("p13")], [add("p49")]]],
    [requestOf([line("p53")], []), [[add("p13")], [remove("p53")], [remove("p13")]]],
    [requestOf([], []), [[add("p13")], [add("p51")], [add("p54"), add("p49")]]],
    [requestOf([], [line("p54")]), [[add("p54")], [add("p54")]]],
    [requestOf([], []), []],
  ];
  const sweep = createThresholdSweep(0.55);
  let plays = 0;
  for (const [request, turns] of cases) {
    const playAt = ({ threshold }: Pick<Asking, "threshold">) => {
      plays += 1;
      return play(request, turns, { probabilityOf, threshold });
    };
    await sweep.add(request, await playAt({ threshold: 0 }), playAt);
  }
  const results = sweep.results();
  const rows = [results.without, ...results.sweep, results.with];
  expect(rows.map(({ threshold }) => threshold)).toEqual([
    0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.55,
  ]);
  for (const row of rows) {
    const { threshold } = row;
    const plain = { unasked: 0, solved: 0, changingCalls: 0, right: 0, needless: 0 };
    for (const [request, turns] of cases) {
      const played = await play(request, turns, { probabilityOf, threshold });
      const judged = judgeRequest(request, played);
      plain.unasked += Number(judged.hasActedUnasked);
      plain.solved += Number(judged.isSolved);
      plain.changingCalls += played.changingCalls.length;
      for (const { wasAsked, isWanted } of played.changingCalls) {
        plain.right += Number(wasAsked && !isWanted);
        plain.needless += Number(wasAsked && isWanted);
      }
    }
    expect({
      unasked: row.actedUnasked?.successes,
      solved: row.solved?.successes,
      changingCalls: row.changingCalls,
      right: row.rightQuestions,
      needless: row.needlessQuestions,
    }).toEqual(plain);
  }
  // Fewer than one for each request and threshold, and the thresholds make a difference.
  expect(plays).toBeLessThan(cases.length * 11);
  expect(new Set(rows.map((row) => row.actedUnasked?.successes)).size).toBeGreaterThan(2);
  expect(rows.some((row) => row.rightQuestions > 0 && row.needlessQuestions > 0)).toBe(true);
});
