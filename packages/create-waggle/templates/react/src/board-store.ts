/** The board that the visitor sees. Components and tools share it. */
import type { Card } from "./board.ts";

let cards: readonly Card[] = [
  { card: 11, project: "P417", days: 2, column: "review" },
  { card: 12, project: "P417", days: 7, column: "review" },
  { card: 13, project: "P230", days: 4, column: "doing" },
  { card: 14, project: "P508", days: 1, column: "ideas" },
];
const listeners = new Set<() => void>();

/** The cards that are shown now. */
export const shownCards = (): readonly Card[] => cards;

/** Shows other cards. */
export function showCards(next: readonly Card[]): void {
  cards = next;
  for (const listener of listeners) listener();
}

/** For `useSyncExternalStore`. */
export function watchCards(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
