/** What a call returns, and how an answer states it. */
import { integerBelow, pick } from "../draw.ts";
import { withoutDoubledPreposition } from "./dates.ts";
import { chance, type Drawing } from "./drawing.ts";
import { FIELDS, type FieldKey } from "./fields.ts";
import { drawRecords, type InventedRecord, recordJson } from "./records.ts";
import { pluralOf } from "./subjects.ts";
import type { ScriptCall } from "./task-script.ts";
import * as values from "./values.ts";
import { doneText, type Wish } from "./wish.ts";

export type Outcome = {
  readonly result: ScriptCall["result"];
  readonly answer: string;
  readonly facts: readonly string[];
};

const DONE_FORMS = ["Done. I {}.", "I {}.", "OK, I {}."];

/** The answer after changes. */
export function doneAnswer({ random }: Drawing, ...done: readonly string[]): string {
  return pick(random, DONE_FORMS).replace("{}", () => done.join(" and "));
}

/** `A`, `A and B`, `A, B and C`. */
function listed(items: readonly string[]): string {
  if (items.length < 2) return items.join("");
  return `${items.slice(0, -1).join(", ")} and ${String(items.at(-1))}`;
}

const keysOf = (drawing: Drawing, { tool }: Wish, count: number): readonly FieldKey[] =>
  tool.subject.fields.filter(() => chance(drawing, 0.5)).slice(0, count);

export function outcomeOf(drawing: Drawing, wish: Wish): Outcome {
  const { tool, noun } = wish;
  const { action, subject } = tool;
  const { random } = drawing;
  if (action.changes) {
    const isCreation = action.details === "record";
    const id = pick(random, [values.code, values.numericId])(drawing).argument;
    const value = isCreation
      ? { id }
      : pick(random, [{ ok: true }, { status: "ok" }, "ok", { done: 1 }]);
    return { result: { value }, answer: doneAnswer(drawing, doneText(wish)), facts: [] };
  }
  if (action.key === "count") {
    const count = integerBelow(random, 40);
    const value = pick(random, [{ count }, count, { total: count }]);
    return {
      result: { value },
      answer: `There ${count === 1 ? "is" : "are"} ${count} ${count === 1 ? noun : pluralOf(noun)}.`,
      facts: [String(count)],
    };
  }
  if (action.key === "export") {
    const format = [...wish.values].find(([{ role }]) => role === "value")?.[1].argument;
    const file = `${values.inventedWord(drawing)}.${String(format)}`;
    return { result: { value: { file } }, answer: `Here is the file: ${file}`, facts: [file] };
  }
  if (action.key === "get") return detailOutcome(drawing, wish);
  if (action.target === true) return answerAbout(drawing, wish);
  const count = action.key === "newest" ? 1 : pick(random, [0, 1, 2, 2, 3]);
  const records = drawRecords(drawing, subject, count, keysOf(drawing, wish, 1), "code");
  const names = records.map(({ name }) => String(name.argument));
  const found = count === 1 ? `1 ${noun}` : `${count} ${pluralOf(noun)}`;
  return {
    result: { value: records.map((record) => withFilter(recordJson(record), wish)) },
    answer: count === 0 ? `I found no ${pluralOf(noun)}.` : `I found ${found}: ${listed(names)}.`,
    facts: names,
  };
}

/** Where a thing is, what it shows, or whether it is free. */
function answerAbout(drawing: Drawing, wish: Wish): Outcome {
  const { random } = drawing;
  const valueOf = (role: string) =>
    String([...wish.values].find(([parameter]) => parameter.role === role)?.[1].argument);
  const thing = `the ${wish.noun} ${valueOf("target")}`;
  if (wish.tool.action.key === "availability") {
    const isFree = chance(drawing, 0.6);
    const words = isFree ? "free" : "taken";
    const answer = `${isFree ? "Yes" : "No"}, ${thing} is ${words} on ${valueOf("value")}.`;
    return {
      result: { value: pick(random, [{ free: isFree }, { status: words }]) },
      answer: withoutDoubledPreposition(answer),
      facts: [words],
    };
  }
  const isPlace = wish.tool.action.key === "track";
  const { argument } = isPlace ? values.place(drawing) : values.price(drawing);
  const key = pick(random, isPlace ? ["place", "position", "now in"] : ["value", "reading"]);
  return {
    result: { value: { [key.replace(" ", "_")]: argument } },
    answer: `${thing.replace("the", "The")} ${isPlace ? "is in" : "shows"} ${String(argument)}.`,
    facts: [String(argument)],
  };
}

/** A found record has the values that were searched for. */
function withFilter(json: { [key: string]: unknown }, { values: given }: Wish): unknown {
  const filters = [...given].filter(([{ role }]) => role === "detail");
  const matches = filters.map(([{ field }, { argument }]) => [fieldKey(field), argument] as const);
  return { ...json, ...Object.fromEntries(matches.filter(([key]) => key in json)) };
}

const fieldKey = (field: (typeof FIELDS)[FieldKey]): string =>
  Object.entries(FIELDS).find(([, other]) => other === field)?.[0] ?? field.label;

function detailOutcome(drawing: Drawing, wish: Wish): Outcome {
  const { tool, noun } = wish;
  const keys = tool.subject.fields.slice(0, 1 + integerBelow(drawing.random, 2));
  const [record] = drawRecords(drawing, tool.subject, 1, keys, "code");
  const { fields } = record as InventedRecord;
  const stated = [...fields].map(
    ([key, { argument }]) => `${FIELDS[key].label} ${String(argument)}`,
  );
  const target = [...wish.values].find(([{ role }]) => role === "target")?.[1].argument;
  return {
    result: {
      value: Object.fromEntries([...fields].map(([key, { argument }]) => [key, argument])),
    },
    answer: `The ${noun} ${String(target)}: ${listed(stated)}.`,
    facts: [...fields.values()].map(({ argument }) => String(argument)),
  };
}
