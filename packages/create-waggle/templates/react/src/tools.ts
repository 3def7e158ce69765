/** What the assistant can do in the page. */
import { definePageTools } from "@waggle/site";
import { showCards, shownCards } from "./board-store.ts";
import { type Card, FIND_CARDS, findCards, MOVE_CARD, moveCard } from "./board.ts";

/** Begins with the cards of a practice task. `waggle check` compares page and practice with it. */
export function start(state: { readonly cards: readonly Card[] }): void {
  showCards(state.cards);
}

export default definePageTools({
  find_cards: {
    ...FIND_CARDS,
    run: ({ project, column }) => findCards(shownCards(), project, column),
    label: ({ column }) => ({
      en: `Reading: ${String(column)}`,
      de: `Lesen: ${String(column)}`,
      fr: `Lecture : ${String(column)}`,
    }),
  },
  move_card: {
    ...MOVE_CARD,
    run: ({ card, column }) => {
      showCards(moveCard(shownCards(), card, column));
      return "moved";
    },
    changes: true,
    label: ({ card, column }) => ({
      en: `Moving: ${String(card)} → ${String(column)}`,
      de: `Verschieben: ${String(card)} → ${String(column)}`,
      fr: `Déplacement : ${String(card)} → ${String(column)}`,
    }),
  },
});
