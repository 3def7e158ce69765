/** Questions about what several products cost together. Nothing is added. */
import { pieces, series } from "../answers.ts";
import { next } from "../scene.ts";
import type { DrawTurn, TurnsOf } from "../talk-turn.ts";
import { drawList } from "./lists.ts";

/** Most products of a sum. */
const MOST = 3;

const sum: DrawTurn = (random, scene) => {
  const { entries, said } = drawList(random, scene, MOST);
  const total = entries.reduce((all, { item, count }) => all + count * item.price, 0);
  return {
    kind: "sum-question",
    slots: { list: said },
    expected: {
      cart: scene.cart,
      form: "answer",
      facts: [...entries.map(({ item }) => [item.name]), total],
      wishes: entries.length,
    },
    conduct: async (assistant) => {
      const hits = await assistant.find(...entries.map(({ item }) => item));
      const [first] = hits;
      if (first === undefined) return "";
      const counts = entries.map(({ count }) => assistant.pieces(count));
      const terms = hits.map(({ price }, at) =>
        counts[at] === 1 ? `${price}` : `${counts[at]}*${price}`,
      );
      const [value] = await assistant.act(["calculate", { expression: terms.join("+") }]);
      const shown = hits.map(({ name }, at) => pieces({ name, quantity: counts[at] ?? 1 }));
      const answer = `Together, ${series(shown)} cost ${String(value)} EUR.`;
      return assistant.answered(first, answer);
    },
    after: next(scene, { last: null }),
  };
};

export const SUM_TURNS: TurnsOf<"sum-question"> = { "sum-question": sum };
