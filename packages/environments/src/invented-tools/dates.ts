/** Dates and times as people write them. A call has them in the words of the user. */
import { integerBelow, pick } from "../draw.ts";
import { chance, type Drawing, drawOfSplit } from "./drawing.ts";
import type { Value } from "./values.ts";

const MONTHS =
  "January February March April May June July August September October November December".split(
    " ",
  );
const WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split(" ");

const two = (value: number) => String(value).padStart(2, "0");
const plain = (argument: string): Value => ({ argument, said: argument });

function ordinal(day: number): string {
  const ending = day > 10 && day < 14 ? undefined : ["th", "st", "nd", "rd"][day % 10];
  return `${day}${ending ?? "th"}`;
}

/** Mostly `2026-03-14`, else `March 14`, `14 March 2026`, `next Monday`. */
export function date(drawing: Drawing): Value {
  const { random } = drawing;
  if (chance(drawing, 0.08)) {
    const day = pick(random, WEEKDAYS);
    return plain(pick(random, ["tomorrow", `next ${day}`, `this ${day}`, day, "today"]));
  }
  const isIso = chance(drawing, 0.6);
  return plain(
    drawOfSplit(drawing, () => {
      const year = 2024 + integerBelow(random, 7);
      const month = integerBelow(random, 12);
      const day = 1 + integerBelow(random, 28);
      if (isIso) return `${year}-${two(month + 1)}-${two(day)}`;
      const name = MONTHS[month] as string;
      return pick(random, [
        `${name} ${day}`,
        `${day} ${name} ${year}`,
        `${name} ${day}, ${year}`,
        `the ${ordinal(day)} of ${name}`,
        `${name} ${ordinal(day)}`,
        `${two(day)}.${two(month + 1)}.${year}`,
        `${month + 1}/${day}/${year}`,
      ]);
    }),
  );
}

/** Mostly `18:30`, else `6 pm`, `6:30 pm`, `noon`. */
export function time(drawing: Drawing): Value {
  const { random } = drawing;
  const minutes = pick(random, ["00", "15", "30", "45", "05", "10", "20", "35", "40", "50"]);
  if (chance(drawing, 0.65)) return plain(`${two(6 + integerBelow(random, 17))}:${minutes}`);
  const hour = 1 + integerBelow(random, 12);
  const half = pick(random, ["am", "pm"]);
  return plain(
    pick(random, [
      `${hour} ${half}`,
      `${hour}${half}`,
      `${hour}:${minutes} ${half}`,
      `${hour} o'clock`,
      pick(random, ["noon", "midnight", `half past ${hour}`, `quarter past ${hour}`]),
    ]),
  );
}

/** Removes the preposition of "on tomorrow". */
export function withoutDoubledPreposition(text: string): string {
  return text.replaceAll(/\b[Oo]n (?=(?:tomorrow|today|next|this) ?)/g, "");
}
