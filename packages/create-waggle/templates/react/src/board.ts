/** The cards of a board, and how they move. Page and practice both use this file. */
export const PROMPT = "You keep a board of cards in order.";
export const COLUMNS = ["ideas", "doing", "review", "done"] as const;
/** Projects have numbers from P100 to P999. */
export const PROJECTS = Array.from({ length: 900 }, (_, i) => `P${100 + i}`);

export type Column = (typeof COLUMNS)[number];
export type Card = {
  readonly card: number;
  readonly project: string;
  readonly days: number;
  readonly column: Column;
};

/** Cards of a project in a column, with their age in days. */
export function findCards(cards: readonly Card[], project: string, column: Column) {
  return cards
    .filter((each) => each.project === project && each.column === column)
    .map(({ card, days }) => ({ card, days }));
}

/** The cards after one of them has moved. */
export function moveCard(cards: readonly Card[], card: number, column: Column): readonly Card[] {
  if (!cards.some((each) => each.card === card)) throw new Error(`there is no card ${card}`);
  return cards.map((each) => (each.card === card ? { ...each, column } : each));
}

/** What the model reads about the tools. */
export const FIND_CARDS = {
  description: "Cards in a column.",
  parameters: {
    type: "object",
    properties: { project: { type: "string", pattern: "^P[0-9]{3}$" }, column: { enum: COLUMNS } },
    required: ["project", "column"],
    additionalProperties: false,
  },
} as const;
export const MOVE_CARD = {
  description: "Move a card.",
  parameters: {
    type: "object",
    properties: { card: { type: "integer", minimum: 1, maximum: 99 }, column: { enum: COLUMNS } },
    required: ["card", "column"],
    additionalProperties: false,
  },
} as const;
