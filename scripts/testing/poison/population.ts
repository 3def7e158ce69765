/** Who visits a site: honest people with a network each, and hostile ones, who may have several names on theirs. */
import type { Sender } from "./reputation-ledger.ts";

/** People, honest and hostile. */
const PEOPLE = 20;

export type Visitor = Sender & {
  readonly isHostile: boolean;
  /** How often the visitor asks for work; 1 = as an honest one. */
  readonly activity: number;
};

/**
 * @param share - of the people who are hostile.
 * @param names - of each hostile person.
 * @param activity - of each of these names.
 */
export function population(
  share: number,
  { names, activity }: { readonly names: number; readonly activity: number },
): readonly Visitor[] {
  const hostile = Math.round(share * PEOPLE);
  return Array.from({ length: PEOPLE }, (_, person) => person).flatMap((person) => {
    const isHostile = person < hostile;
    return Array.from({ length: isHostile ? names : 1 }, (_, name) => ({
      visitorId: `00000000-0000-4000-8000-${String(100 * person + name).padStart(12, "0")}`,
      network: `network-${person}`,
      isHostile,
      activity: isHostile ? activity : 1,
    }));
  });
}

/** The first `count` different visitors who ask for work. */
export function asking(
  visitors: readonly Visitor[],
  count: number,
  random: () => number,
): Visitor[] {
  const asks = visitors.flatMap((visitor) =>
    Array.from({ length: visitor.activity }, () => visitor),
  );
  const found = new Set<Visitor>();
  while (found.size < Math.min(count, visitors.length)) {
    found.add(asks[Math.floor(random() * asks.length)] as Visitor);
  }
  return [...found];
}
