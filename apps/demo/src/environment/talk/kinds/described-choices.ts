/** Choices, by a description, of one of the products that were listed. */
import { drawChoice } from "../described/choice.ts";
import type { Hit } from "../assistant.ts";
import { addedAnswer, addedOf } from "../scene.ts";
import type { DrawTurn, TurnsOf } from "../talk-turn.ts";

const choose: DrawTurn = (random, scene) => {
  const choice = drawChoice(random, scene);
  if (choice === null) return null;
  const { item, search, say } = choice;
  if (scene.cart.some(({ id }) => id === item.id)) return null;
  const after = addedOf(scene, item, 1);
  const other = scene.listed.find((one) => one !== item);
  return {
    kind: "choose-described",
    slots: { choice: say(false) },
    unseen: { choice: say(true) },
    expected: addedAnswer(after, item),
    conduct: async (assistant) => {
      const hits = search === undefined ? assistant.listed : await assistant.search(search);
      // A search finds it at once; in the list it has to be chosen.
      const hit = search === undefined ? assistant.choose(hits, item) : hits[0];
      return assistant.add(hit ?? (assistant.listed[0] as Hit));
    },
    after,
    ...(other === undefined ? {} : { near: { id: other.id } }),
  };
};

export const DESCRIBED_CHOICE_TURNS: TurnsOf<"choose-described"> = { "choose-described": choose };
