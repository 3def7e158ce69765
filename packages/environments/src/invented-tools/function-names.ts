/** Names of functions and parameters in the styles that programmers use, or as invented words. */
import { pick } from "../draw.ts";
import type { Action } from "./action.ts";
import { belongsTo, chance, type Drawing } from "./drawing.ts";
import { nounFor, pluralOf, type Subject } from "./subjects.ts";
import { inventedWord } from "./values.ts";

export type NameStyle = "snake" | "camel" | "kebab" | "pascal" | "invented";

/** A style for a whole set: a third of the sets have invented names. */
export function drawStyle(drawing: Drawing): NameStyle {
  if (chance(drawing, 1 / 3)) return "invented";
  return pick(drawing.random, ["snake", "snake", "snake", "camel", "camel", "kebab", "pascal"]);
}

/** Words in a style: `new_date`, `newDate`. Parameters have no hyphens and no capital at the start. */
export function styled(words: string, style: NameStyle): string {
  const parts = words.toLowerCase().split(/[ -]/);
  if (style !== "camel" && style !== "pascal") return parts.join("_");
  return parts.map((part, i) => (i === 0 ? part : capitalized(part))).join("");
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function inStyle(words: string, style: NameStyle): string {
  if (style === "kebab") return words.replaceAll(" ", "-");
  if (style === "pascal") return capitalized(styled(words, style));
  return styled(words, style);
}

function inventedName(drawing: Drawing): string {
  const form = pick(drawing.random, ["one", "snake", "snake", "camel"]);
  const first = inventedWord(drawing);
  if (form === "one") return first;
  return inStyle(`${first} ${inventedWord(drawing)}`, form === "camel" ? "camel" : "snake");
}

/** A function's name of the drawing's split that is none of the taken ones. */
export function functionName(
  drawing: Drawing,
  action: Action,
  subject: Subject,
  style: NameStyle,
  taken: ReadonlySet<string>,
): string {
  const { random, split } = drawing;
  for (let trial = 0; ; trial += 1) {
    const noun = nounFor(random, subject);
    const pattern = pick(random, action.names);
    const nouns = pattern.includes("{s}") ? pluralOf(noun) : noun;
    const rest = pattern.replace(/\{[ns]\}/, "").trim();
    const words = chance(drawing, 0.3)
      ? `${chance(drawing, 0.3) ? pluralOf(noun) : noun} ${rest}`
      : pattern.replace(/\{[ns]\}/, nouns);
    const isInvented = style === "invented" || trial > 40;
    const name = isInvented ? inventedName(drawing) : inStyle(words.replace(/\s+/g, " "), style);
    if (belongsTo(split, name) && !taken.has(name) && !isEvaluated(name)) return name;
  }
}

/**
 * Names of functions that an evaluation set has too, in snake case: found by comparing 230,000 drawn tools with the
 * Berkeley Function Calling Leaderboard. They are not used, so that evaluations stay clean.
 */
const EVALUATED: ReadonlySet<string> = new Set(
  (
    "artwork_search book_hotel book_room books_search cancel_order cat concert_search create_backup " +
    "exhibition_info find find_concert find_instrument find_recipe find_recipes find_restaurant find_restaurants " +
    "flights_search get get_games get_movies hotel_book hotel_booking lawsuit_info lawsuit_search product_search " +
    "purchase_insurance recipe_find recipe_search search_books trivia_game_search zero"
  ).split(" "),
);

function isEvaluated(name: string): boolean {
  const snake = name.replaceAll(/([a-z])([A-Z])/g, "$1_$2").replaceAll("-", "_");
  return EVALUATED.has(snake.toLowerCase());
}
