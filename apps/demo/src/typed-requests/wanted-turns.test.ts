import { rollOut, turnConfidences } from "@waggle/agent";
import type { TaskReference } from "@waggle/protocol";
import { ByteTokenizer, ScriptedPolicy } from "@waggle/testing";
import { createChatFormat, nanoTokenizerConfig } from "@waggle/text";
import { expect, test } from "vitest";
import { createShopEnvironment, SHOP_TALK } from "../environment/index.ts";
import { shopInstance } from "../environment/shop-errands.ts";
import { createTalk } from "../environment/talk/talk-environment.ts";
import { talkOf } from "../environment/talk/talk-instance.ts";
import { wantedTurns } from "./wanted-turns.ts";

const tokenizer = new ByteTokenizer();
const format = createChatFormat({ tokenizer, tokenizerConfig: nanoTokenizerConfig(16_384) });

/** A held-out task that wants two or more pieces of one product in an empty cart. */
function taskOfQuantity(): TaskReference {
  for (let seed = 0; ; seed += 1) {
    const task = { environment: "shop", seed, split: "heldOut" } as const;
    const { cart, expectedCart } = shopInstance(task);
    if (cart.length === 0 && (expectedCart[0]?.quantity ?? 0) > 1) return task;
  }
}

test("a turn is right if the task wants each of its calls that change the cart", async () => {
  const task = taskOfQuantity();
  const [{ id, quantity }] = shopInstance(task).expectedCart as [{ id: string; quantity: number }];
  const other = id === "p13" ? "p51" : "p13";
  const add = (product: string, pieces: number | string) => ({
    name: "add_to_cart",
    arguments: { id: product, quantity: pieces },
  });
  const look = { name: "view_cart", arguments: {} };
  const turns = [
    [look],
    [add(id, 1), look],
    [add(id, "many")],
    [add(id, quantity - 1)],
    [add(id, 1)],
    [add("p00", 1)],
    [{ name: "remove_from_cart", arguments: { id, quantity: 1 } }, add(other, 1)],
    [{ name: "remove_from_cart", arguments: { id: other } }],
  ];
  const policy = new ScriptedPolicy({
    turns: [
      ...turns.map((calls) => format.encodeAssistant("", calls)),
      format.encodeAssistant("Done."),
    ],
  });
  const record = await rollOut({
    policy,
    environment: createShopEnvironment(task),
    chatFormat: format,
    client: policy.client,
    limits: { maxTurns: 12, maxTokensPerTurn: 400, timeoutMs: 0 },
    consent: { version: "none", scopes: [], grantedAt: "2026-01-01T00:00:00.000Z" },
    seed: 1,
  });
  const confidences = turnConfidences(record);
  const rated = [1, 3, 4, 5, 6, 7].map((turn) => confidences[turn]);
  const wanted = [true, true, false, false, false, true];
  expect(wantedTurns(record)).toEqual(
    wanted.map((success, nth) => ({ confidence: rated[nth], success })),
  );
  expect(wantedTurns({ ...record, task: null })).toEqual([]);
});

test("a talk with one message wants the cart that is right after it", async () => {
  const seeds = Array.from({ length: 400 }, (_, seed) => SHOP_TALK.reference(seed, "heldOut", 0));
  const task = seeds.find(
    (one) => SHOP_TALK.task(one).kind === "add" && talkOf(one).cart.length === 0,
  );
  if (task === undefined) throw new Error("no talk adds something to an empty cart");
  const id = talkOf(task).messages[0]?.[0]?.expected.cart[0]?.id;
  const add = (product: string | undefined) =>
    format.encodeAssistant("", [{ name: "add_to_cart", arguments: { id: product } }]);
  const turns = [add(id === "p13" ? "p51" : "p13"), add(id), format.encodeAssistant("Done.")];
  const policy = new ScriptedPolicy({ turns });
  const record = await rollOut({
    policy,
    environment: createTalk(task).environment,
    chatFormat: format,
    client: policy.client,
    limits: { maxTurns: 12, maxTokensPerTurn: 400, timeoutMs: 0 },
    consent: { version: "none", scopes: [], grantedAt: "2026-01-01T00:00:00.000Z" },
    seed: 1,
  });
  expect(wantedTurns(record).map(({ success }) => success)).toEqual([false, true]);
});
