/** Kinds of parameters: their names, their values and how a request mentions them. */
import { integerBelow, pick } from "../draw.ts";
import type { Drawing } from "./drawing.ts";
import * as values from "./values.ts";
import type { Value } from "./values.ts";

type FieldType = "string" | "integer" | "number" | "boolean" | readonly string[];

/** A kind of parameter. */
export type Field = {
  /** Parameter names for it, in words: a tool writes them in its own style. */
  readonly names: readonly string[];
  /** An array lists the values of an enum. */
  readonly type: FieldType;
  readonly draw: (drawing: Drawing) => Value;
  /** Ways to mention it; `{}` is the value. A flag has one list for true and one for false. */
  readonly phrases: readonly string[];
  /** How a question or an answer calls it. */
  readonly label: string;
};

export type FieldKey =
  | "title"
  | "person"
  | "owner"
  | "date"
  | "due"
  | "time"
  | "place"
  | "count"
  | "people"
  | "minutes"
  | "price"
  | "weight"
  | "code"
  | "note"
  | "tag"
  | "color"
  | "email"
  | "priority"
  | "size"
  | "repeat"
  | "urgent"
  | "hidden"
  | "notify";

const choice = (options: readonly string[]) => ({
  type: options,
  draw: ({ random }: Drawing): Value => {
    const argument = pick(random, options);
    return { argument, said: argument };
  },
});

/** A flag whose phrase alone says true or false. */
const flag = (yes: readonly string[], no: readonly string[]) => ({
  type: "boolean" as const,
  draw: ({ random }: Drawing): Value =>
    random() < 0.7
      ? { argument: true, said: pick(random, yes) }
      : { argument: false, said: pick(random, no) },
  phrases: ["{}"],
});

const integerIn = (from: number, to: number, step = 1) => ({
  type: "integer" as const,
  draw: (drawing: Drawing): Value => {
    if (step === 1) return values.integer(drawing, from, to);
    const argument = from + step * integerBelow(drawing.random, Math.floor((to - from) / step) + 1);
    return { argument, said: String(argument) };
  },
});

const text = (draw: (drawing: Drawing) => Value) => ({ type: "string" as const, draw });

export const FIELDS: { readonly [key in FieldKey]: Field } = {
  title: {
    names: ["title", "name", "label", "heading"],
    ...text(values.name),
    phrases: ["called {}", "named {}", "titled {}", "with the title {}", "with the name {}"],
    label: "name",
  },
  person: {
    names: ["person", "who", "contact", "full name", "member"],
    ...text(values.person),
    phrases: ["for {}", "with {}", "for {}"],
    label: "person",
  },
  owner: {
    names: ["owner", "assignee", "responsible", "keeper"],
    ...text(values.person),
    phrases: ["owned by {}", "with {} as the owner", "in charge: {}"],
    label: "owner",
  },
  date: {
    names: ["date", "day", "on", "on date"],
    ...text(values.date),
    phrases: ["on {}", "for {}", "dated {}", "on the day {}"],
    label: "date",
  },
  due: {
    names: ["due", "deadline", "due date", "until"],
    ...text(values.date),
    phrases: ["due {}", "due on {}", "by {}", "until {}", "with the deadline {}"],
    label: "due date",
  },
  time: {
    names: ["time", "at", "start time", "hour"],
    ...text(values.time),
    phrases: ["at {}", "starting at {}", "from {}"],
    label: "time",
  },
  place: {
    names: ["place", "location", "where", "site"],
    ...text(values.place),
    phrases: ["in {}", "at {}", "located in {}", "near {}"],
    label: "place",
  },
  count: {
    names: ["count", "quantity", "number", "amount", "pieces"],
    ...integerIn(2, 60),
    phrases: ["quantity {}", "{} of them", "{} pieces", "with a quantity of {}"],
    label: "quantity",
  },
  people: {
    names: ["people", "guests", "party size", "seats", "persons"],
    ...integerIn(2, 40),
    phrases: ["for {} people", "for {} guests", "for {}", "with {} seats"],
    label: "number of people",
  },
  minutes: {
    names: ["minutes", "duration", "length", "duration min"],
    ...integerIn(5, 180, 5),
    phrases: ["for {} minutes", "lasting {} minutes", "of {} minutes", "{} min long"],
    label: "duration",
  },
  price: {
    names: ["price", "cost", "value", "total"],
    type: "number",
    draw: values.price,
    phrases: ["for {} euros", "at a price of {}", "costing {}", "worth {} dollars", "priced at {}"],
    label: "price",
  },
  weight: {
    names: ["weight", "weight kg", "kg", "mass"],
    type: "number",
    draw: values.price,
    phrases: ["weighing {} kg", "of {} kg", "with a weight of {} kg"],
    label: "weight",
  },
  code: {
    names: ["code", "reference", "ref", "serial"],
    ...text(values.code),
    phrases: ["with code {}", "with the reference {}", "code {}", "serial {}"],
    label: "code",
  },
  note: {
    names: ["note", "comment", "text", "remark", "description"],
    ...text(values.note),
    phrases: ["with the note {}", "note: {}", "saying {}", "with the comment {}"],
    label: "note",
  },
  tag: {
    names: ["category", "group", "kind", "topic"],
    ...text(values.tag),
    phrases: ["in the category {}", "in the group {}", "under {}", "of the kind {}"],
    label: "category",
  },
  color: {
    names: ["color", "shade", "paint"],
    ...text(values.color),
    phrases: ["in {}", "colored {}", "with the color {}", "and make it {}"],
    label: "color",
  },
  email: {
    names: ["email", "mail", "email address", "address"],
    ...text(values.email),
    phrases: ["with the email {}", "email {}", "reachable at {}"],
    label: "email",
  },
  priority: {
    names: ["priority", "importance", "severity"],
    ...choice(["low", "medium", "high"]),
    phrases: ["with {} priority", "priority {}", "at {} priority"],
    label: "priority",
  },
  size: {
    names: ["size", "format", "width"],
    ...choice(["small", "medium", "large"]),
    phrases: ["in size {}", "size {}", "the {} size"],
    label: "size",
  },
  repeat: {
    names: ["repeat", "frequency", "every", "cycle"],
    ...choice(["daily", "weekly", "monthly"]),
    phrases: ["repeating {}", "{}", "on a {} basis"],
    label: "frequency",
  },
  urgent: {
    names: ["urgent", "rush", "express"],
    ...flag(["it is urgent", "mark it urgent", "as urgent"], ["it is not urgent", "not urgent"]),
    label: "urgency",
  },
  hidden: {
    names: ["private", "hidden", "secret"],
    ...flag(["keep it private", "only visible to me"], ["visible to everyone", "not private"]),
    label: "visibility",
  },
  notify: {
    names: ["notify", "alert", "send mail"],
    ...flag(
      ["and notify everyone", "and let them know"],
      ["without notifying anyone", "but tell no one"],
    ),
    label: "notification",
  },
};

/** A field under other names. */
export const named = (field: Field, names: readonly string[], label: string): Field => ({
  ...field,
  names,
  label,
});
