/** A tool of one task: an action on a subject under a drawn name, with drawn parameters and a description. */
import { z } from "zod";
import { integerBelow, pick } from "../draw.ts";
import type { Action } from "./action.ts";
import { chance, type Drawing, shuffled } from "./drawing.ts";
import { type Field, type FieldKey, FIELDS } from "./fields.ts";
import { functionName, type NameStyle, styled } from "./function-names.ts";
import { nounFor, pluralOf, type Subject, withArticle } from "./subjects.ts";
import { code, inventedWord, name, numericId, person } from "./values.ts";

export type Parameter = {
  readonly name: string;
  readonly field: Field;
  readonly role: "target" | "value" | "detail";
  readonly isRequired: boolean;
  /** Whether the name is an invented word, so that a request must say it. */
  readonly isInvented: boolean;
};

/** How a tool identifies the thing that it acts on. */
export type TargetKind = "name" | "code" | "number";

export type InventedTool = {
  readonly name: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly action: Action;
  readonly subject: Subject;
  readonly targetKind: TargetKind;
};

export type ToolWish = {
  readonly action: Action;
  readonly subject: Subject;
  readonly targetKind?: TargetKind | undefined;
  /** The field that a search filters by, instead of a drawn one. */
  readonly filter?: FieldKey | undefined;
};

/** Fills the texts of an action with a noun. */
export function withNoun(text: string, noun: string): string {
  return text
    .replaceAll("{a}", withArticle(noun))
    .replaceAll("{s}", pluralOf(noun))
    .replaceAll("{n}", noun);
}

const TARGETS: { readonly [kind in TargetKind]: Field } = {
  name: {
    names: ["name", "{n} name", "{n}", "which"],
    type: "string",
    draw: name,
    phrases: [],
    label: "name",
  },
  code: {
    names: ["id", "{n} id", "ref", "code"],
    type: "string",
    draw: code,
    phrases: [],
    label: "id",
  },
  number: {
    names: ["id", "{n} id", "{n} number", "no"],
    type: "integer",
    draw: numericId,
    phrases: [],
    label: "number",
  },
};

const PERSON_TITLE: Field = { ...FIELDS.title, draw: person };

/** The field of a thing's name. People have names of people. */
const titleOf = ({ group }: Subject): Field => (group === "person" ? PERSON_TITLE : FIELDS.title);

function targetOf({ group }: Subject, kind: TargetKind): Field {
  return group === "person" && kind === "name" ? { ...TARGETS.name, draw: person } : TARGETS[kind];
}

/** Fields that a record of any subject can have. */
const EXTRAS: readonly FieldKey[] = ["note", "urgent", "hidden", "notify"];

/** Fields with the role that they have in the action, the required ones first. */
function drawFields(
  drawing: Drawing,
  { action, subject, filter }: ToolWish,
  targetKind: TargetKind,
): Pick<Parameter, "field" | "role" | "isRequired">[] {
  const { random } = drawing;
  const others = shuffled(drawing, subject.fields).map((key) => FIELDS[key]);
  const detail = (field: Field, isRequired: boolean) =>
    ({ field, role: "detail", isRequired }) as const;
  if (action.details === "record") {
    const extra = chance(drawing, 0.25) ? [FIELDS[pick(random, EXTRAS)]] : [];
    const required = integerBelow(random, 3);
    const further = others.slice(0, integerBelow(random, 3)).concat(extra);
    return [
      detail(titleOf(subject), true),
      ...further.map((field, i) => detail(field, i < required)),
    ];
  }
  if (action.details !== undefined) {
    if (filter !== undefined)
      return [detail(filter === "title" ? titleOf(subject) : FIELDS[filter], true)];
    const count = action.details === "filter" ? pick(random, [1, 1, 2]) : pick(random, [0, 1]);
    return others
      .slice(0, count)
      .map((field, i) => detail(field, i === 0 && action.details === "filter"));
  }
  return [
    ...(action.target
      ? [{ field: targetOf(subject, targetKind), role: "target", isRequired: true } as const]
      : []),
    ...(action.value ? [{ field: action.value, role: "value", isRequired: true } as const] : []),
  ];
}

/** Draws a tool. Its name is none of the taken ones. */
export function drawTool(
  drawing: Drawing,
  wish: ToolWish,
  style: NameStyle,
  taken: ReadonlySet<string>,
): InventedTool {
  const { action, subject } = wish;
  const { random } = drawing;
  const targetKind = wish.targetKind ?? pick(random, ["name", "name", "code", "number"] as const);
  const names = new Set<string>();
  const fields = drawFields(drawing, wish, targetKind);
  const ordered = chance(drawing, 0.75) ? fields : shuffled(drawing, fields);
  const isInvented = style === "invented" && chance(drawing, 0.4);
  const noun = nounFor(random, subject);
  const parameters = ordered.map((field): Parameter => {
    for (;;) {
      const isOdd =
        isInvented && field.role === "detail" && Array.isArray(field.field.type) === false;
      const isWord = isOdd && field.field.type !== "boolean";
      const words = isWord
        ? inventedWord(drawing)
        : withNoun(pick(random, field.field.names), noun);
      const parameterName = styled(words, style);
      if (names.has(parameterName)) continue;
      names.add(parameterName);
      return { ...field, name: parameterName, isInvented: isWord };
    }
  });
  const description = withNoun(pick(random, action.descriptions), nounFor(random, subject));
  return {
    name: functionName(drawing, action, subject, style, taken),
    description: `${description}${pick(random, ["", "", "."])}`,
    parameters,
    action,
    subject,
    targetKind,
  };
}

/** The schema of a tool's arguments. */
export function argumentsSchema(
  parameters: readonly Pick<Parameter, "name" | "field" | "isRequired">[],
): z.ZodType {
  return z.strictObject(
    Object.fromEntries(
      parameters.map(({ name: key, field: { type }, isRequired }) => {
        const schema = typeof type === "string" ? VALUE_SCHEMAS[type] : z.enum([...type]);
        return [key, isRequired ? schema : schema.optional()];
      }),
    ),
  );
}

const VALUE_SCHEMAS = {
  string: z.string(),
  integer: z.int(),
  number: z.number(),
  boolean: z.boolean(),
} as const;
