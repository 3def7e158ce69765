/** Plays the scripted conduct of one turn in a shop, and judges it or other actions. Tests only. */
import { type DemonstratedAction, toolResult } from "@waggle/environments";
import type { ToolCall } from "@waggle/protocol";
import { CATALOGUE, type Product } from "../../catalogue-data.ts";
import { localEdgeTools, runShopTool } from "../../shop-environment.ts";
import { createShop, type CartLine } from "../../shop.ts";
import { Assistant } from "../assistant.ts";
import { judgeTurn, sameCart } from "../talk-judge.ts";
import type { Scene, TalkTurn } from "../talk-turn.ts";

const { signal } = new AbortController();

/** Where a talk starts. */
export function sceneOf(
  goods: readonly Product[] = CATALOGUE,
  cart: readonly CartLine[] = [],
): Scene {
  return { goods, cart, last: null, listed: [], turns: 0, began: "empty" };
}

/** What the assistant did in one turn, or what a test has it do instead. */
export type Conduct = {
  readonly text: string;
  readonly cart: readonly CartLine[];
  /** Names of the tools in the order of the calls. */
  readonly calls: readonly string[];
};

/** Runs a call. @returns its value, `null` if it failed, as the assistant reads it. */
async function ran(
  shop: ReturnType<typeof createShop>,
  call: Pick<ToolCall, "name" | "arguments">,
): Promise<unknown> {
  const whole = { id: "c", ...call } as ToolCall;
  const result = await toolResult(whole, () => runShopTool(shop, whole, localEdgeTools, signal));
  return result.ok ? result.value : null;
}

/** The scripted conduct of a turn. @param before - turns whose conduct comes first; their actions are left out */
async function played(
  turn: TalkTurn,
  scene: Scene,
  {
    mistakes = 0,
    before = [],
  }: { readonly mistakes?: number; readonly before?: readonly TalkTurn[] },
) {
  const shop = createShop(scene.cart, scene.goods);
  let actions: DemonstratedAction[] = [];
  const assistant = new Assistant(
    (calls) => {
      const wanted = calls.map(([name, args]) => ({ name, arguments: args }));
      actions.push({ text: "", calls: wanted });
      return Promise.all(wanted.map((call) => ran(shop, call)));
    },
    () => 0.5,
    mistakes,
  );
  for (const earlier of before) await earlier.conduct(assistant);
  actions = [];
  const text = await turn.conduct(assistant);
  return { text, cart: shop.state.cart, actions };
}

/** What the scripted assistant says and does. @param mistakes - their rate */
export async function conduct(
  turn: TalkTurn,
  scene: Scene = sceneOf(),
  mistakes = 0,
): Promise<Conduct> {
  const { text, cart, actions } = await played(turn, scene, { mistakes });
  return { text, cart, calls: actions.flatMap(({ calls }) => calls.map(({ name }) => name)) };
}

/** The actions of the scripted conduct, after that of earlier turns. */
export async function actionsOf(
  turn: TalkTurn,
  scene: Scene,
  before: readonly TalkTurn[] = [],
): Promise<DemonstratedAction[]> {
  const { text, actions } = await played(turn, scene, { before });
  return [...actions, { text, calls: [] }];
}

/** Whether the judge passes what was done. */
export function passes(
  { expected }: TalkTurn,
  scene: Scene,
  { text, cart, calls }: Conduct,
): boolean {
  const changes = !sameCart(scene.cart, expected.cart);
  const seen = { changes, calls: calls.length, goods: scene.goods };
  const verdict = judgeTurn(expected, text, cart, seen);
  return verdict.cart && verdict.answer;
}

/** Whether the judge passes actions in the scene, without a change on the way that was not asked for. */
export async function actionsPass(
  turn: TalkTurn,
  scene: Scene,
  actions: readonly DemonstratedAction[],
): Promise<boolean> {
  const shop = createShop(scene.cart, scene.goods);
  const isQuestion = sameCart(scene.cart, turn.expected.cart);
  const calls: string[] = [];
  for (const call of actions.flatMap((action) => action.calls)) {
    calls.push(call.name);
    await ran(shop, call);
    if (isQuestion && !sameCart(scene.cart, shop.state.cart)) return false;
  }
  return passes(turn, scene, { text: actions.at(-1)?.text ?? "", cart: shop.state.cart, calls });
}
