/** Where the assistant practices: tasks, how they are judged, and how they are solved. */
import { defineEnvironment, type EnvironmentSpec } from "@waggle/agent/define";
import {
  type Card,
  COLUMNS,
  FIND_CARDS,
  findCards,
  MOVE_CARD,
  moveCard,
  PROJECTS,
  PROMPT,
} from "../src/board.ts";

/**
 * Training has all but the last. People word requests in many ways, so your site needs more of them, such as twelve with
 * five held out.
 */
const WORDINGS = [
  ({ project, from, to, which }) => `Move the ${which} ${project} card in ${from} to ${to}.`,
  ({ project, from, to, which }) => `From ${from} to ${to}: the ${which} card of ${project}.`,
  ({ project, from, to, which }) => `The ${which} card of ${project} in ${from} belongs in ${to}.`,
] satisfies ((slots: { project: string; from: string; to: string; which: string }) => string)[];

type FoundCards = ReturnType<typeof findCards>;

const environment: EnvironmentSpec = defineEnvironment({
  name: "board",
  prompt: PROMPT,
  tasks: ({ split, pick, ofSplit, random }) => {
    // No project of a held-out task occurs in training.
    const project = pick(ofSplit(PROJECTS));
    const from = pick(COLUMNS);
    const to = pick(COLUMNS.filter((column) => column !== from));
    const which = pick(["oldest", "newest"] as const);
    const first = 10 + Math.floor(random() * 80);
    // Ages differ, so that one card is the oldest and one the newest.
    const cards = [0, 1, 2].map((index): Card => {
      const days = 1 + 3 * index + Math.floor(random() * 3);
      return { card: first + ((index + first) % 3), project, days, column: from };
    });
    cards.sort((a, b) => a.card - b.card);
    const wording = pick(split === "heldOut" ? WORDINGS : WORDINGS.slice(0, -1));
    return {
      request: wording({ project, from, to, which }),
      pattern: `wording ${WORDINGS.indexOf(wording) + 1}`,
      values: [project],
      state: { cards: cards as readonly Card[] },
      data: { project, from, to, which, card: chosen(cards, which) },
    };
  },
  tools: {
    find_cards: {
      ...FIND_CARDS,
      run: ({ project, column }, { cards }) => findCards(cards, project, column),
    },
    move_card: {
      ...MOVE_CARD,
      run: ({ card, column }, state) => {
        state.cards = moveCard(state.cards, card, column);
        return "moved";
      },
    },
  },
  verify: ({ state: { cards }, data: { card, from, to } }) => {
    const wrong = cards.find((each) => each.column !== (each.card === card ? to : from));
    return {
      success: wrong === undefined,
      reasons: wrong === undefined ? [] : [`card ${wrong.card} is in ${wrong.column}`],
    };
  },
  *demonstrate({ data: { project, from, to, which } }) {
    const { value } = yield ["find_cards", { project, column: from }];
    yield ["move_card", { card: chosen(value as FoundCards, which), column: to }];
    return "Moved.";
  },
  nearMiss: ({ data: { project, from, card, which } }) => [
    [["find_cards", { project, column: from }], "Moved."],
    [["move_card", { card, column: from }], `Moved the ${which} card.`],
  ],
});
export default environment;

/** The card of the greatest or smallest age. */
function chosen(cards: FoundCards, which: "oldest" | "newest"): number {
  const sorted = cards.toSorted((a, b) => b.days - a.days);
  return (which === "oldest" ? sorted.at(0) : sorted.at(-1))?.card ?? 0;
}
