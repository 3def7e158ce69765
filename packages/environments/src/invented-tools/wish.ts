/** A user's wish for one tool: the values of its arguments, and the words for it. */
import { integerBelow, pick } from "../draw.ts";
import { withoutDoubledPreposition } from "./dates.ts";
import { chance, type Drawing, shuffled } from "./drawing.ts";
import { type InventedTool, type Parameter, type TargetKind, withNoun } from "./invented-tool.ts";
import { drawFrame, fillFrame, FRAMES } from "./request-frames.ts";
import { withReason } from "./reasons.ts";
import { nounFor } from "./subjects.ts";
import type { Value } from "./values.ts";

export type Wish = {
  readonly tool: InventedTool;
  /** The word for the subject in the request. */
  readonly noun: string;
  readonly values: ReadonlyMap<Parameter, Value>;
  /** The one thing that is meant, in the words of the user. Absent = its parameter's value. */
  readonly target?: string;
};

export type WishOptions = {
  readonly target?: string;
  /** Values that are not drawn. */
  readonly given?: ReadonlyMap<Parameter, Value>;
  readonly without?: Parameter | undefined;
};

/** Draws the values of required arguments and of some optional ones. */
export function drawWish(
  drawing: Drawing,
  tool: InventedTool,
  { target, given, without }: WishOptions = {},
): Wish {
  const isLower = chance(drawing, 0.08);
  const values = new Map<Parameter, Value>();
  for (const parameter of tool.parameters) {
    if (parameter === without || (!parameter.isRequired && !chance(drawing, 0.45))) continue;
    const value = given?.get(parameter) ?? parameter.field.draw(drawing);
    values.set(parameter, isLower && !given?.has(parameter) ? lowered(value) : value);
  }
  const noun = nounFor(drawing.random, tool.subject);
  return target === undefined ? { tool, noun, values } : { tool, noun, values, target };
}

function lowered({ argument, said }: Value): Value {
  return {
    argument: typeof argument === "string" ? argument.toLowerCase() : argument,
    said: said.toLowerCase(),
  };
}

/** Arguments in the order of the tool's parameters. */
export function argumentsOf({ values }: Wish): { [name: string]: Value["argument"] } {
  return Object.fromEntries([...values].map(([{ name }, { argument }]) => [name, argument]));
}

const valueOf = ({ values }: Wish, role: Parameter["role"]): Value | undefined =>
  [...values].find(([parameter]) => parameter.role === role)?.[1];

const TARGET_PHRASES: { readonly [kind in TargetKind]: readonly string[] } = {
  name: [
    "the {n} {}",
    "the {n} {}",
    "the {n} called {}",
    "our {n} {}",
    "my {n} {}",
    "{} (the {n})",
    "the {n} named {}",
    "the {n} with the name {}",
    "{n} {}",
    "that {n} {}",
    "your {n} {}",
    "the {n} that is called {}",
    "the {n} by the name of {}",
  ],
  code: [
    "{n} {}",
    "the {n} {}",
    "the {n} with id {}",
    "{n} {}",
    "my {n} {}",
    "the {n} no. {}",
    "our {n} {}",
    "the {n} with the code {}",
    "the {n} {}",
    "{n} id {}",
    "the {n} under the code {}",
    "{n} {}",
    "that {n} {}",
  ],
  number: [
    "{n} {}",
    "the {n} {}",
    "{n} number {}",
    "{n} no. {}",
    "the {n} with number {}",
    "{n} #{}",
    "the {n} no. {}",
    "our {n} {}",
    "my {n} number {}",
    "the {n} whose number is {}",
    "the {n} with the id {}",
    "the {n} #{}",
  ],
};

/** How a user refers to a thing of this name or id. */
function targetText(drawing: Drawing, noun: string, kind: TargetKind, said: string): string {
  const phrase = pick(drawing.random, TARGET_PHRASES[kind]);
  return phrase.replace("{n}", noun).replace("{}", () => said);
}

const INVENTED_PHRASES = [
  "with {p} {}",
  "{p} {}",
  "{p}: {}",
  "{p} = {}",
  "and {p} {}",
  "with a {p} of {}",
  "where {p} is {}",
  "the {p} is {}",
  "using {} as {p}",
  "with {} for {p}",
  "{p} set to {}",
  "its {p} being {}",
];

function detailsOf(drawing: Drawing, { values, tool }: Wish): string {
  const details = [...values].filter(([{ role }]) => role === "detail");
  const isRecord = tool.action.details === "record";
  const first = isRecord ? details.filter(([{ field }]) => field.label === "name") : [];
  const others = shuffled(
    drawing,
    details.filter((detail) => !first.includes(detail)),
  );
  return [...first, ...others]
    .map(([{ name, field, isInvented }, { said }]) =>
      pick(drawing.random, isInvented ? INVENTED_PHRASES : field.phrases)
        .replace("{p}", name)
        .replace("{}", () => said),
    )
    .join(chance(drawing, 0.2) ? ", " : " ");
}

function filled(drawing: Drawing, wish: Wish, pattern: string): string {
  const { noun, tool } = wish;
  const target = valueOf(wish, "target");
  const what =
    wish.target ??
    (target ? targetText(drawing, noun, tool.targetKind, target.said) : `the ${noun}`);
  const text = withNoun(pattern.includes("{d}") ? pattern : `${pattern} {d}`, noun)
    .replaceAll("{t}", () => what)
    .replaceAll("{v}", () => valueOf(wish, "value")?.said ?? "")
    .replaceAll("{d}", () => detailsOf(drawing, wish))
    .replaceAll(/ +/g, " ")
    .replaceAll(/,? (?=[?.,!])/g, "")
    .replaceAll(/\b(1|one) (star|point)s\b/gi, "$1 $2")
    .replaceAll(/\ba (?=(?:html|8\d*|11|18|eight|eleven|eighteen|eighty)\b)/g, "an ")
    .replace(/,(?=\.$)/, "")
    .replace(/^: /, "")
    .replace(/:$/, "")
    .trim();
  return withoutDoubledPreposition(text);
}

/** An imperative for the wish: `cancel the room Zork`. In "I want to …" it must not say "me". */
export function clauseOf(drawing: Drawing, wish: Wish, frame: string): string {
  const { clauses } = wish.tool.action;
  const isOwn = /\b(?:to|let's|should|must|and|will|I'd rather) \{do\}/i.test(frame);
  const fitting = isOwn ? clauses.filter((clause) => !/\bme\b/.test(clause)) : clauses;
  return filled(drawing, wish, pick(drawing.random, fitting));
}

/** A request for one wish, with the name of its pattern: an imperative in a frame, or a sentence. */
export function requestOf(
  drawing: Drawing,
  wish: Wish,
): { readonly request: string; readonly pattern: string } {
  const { wishes, key, changes } = wish.tool.action;
  if (chance(drawing, 0.3)) {
    const index = integerBelow(drawing.random, wishes.length);
    const sentence = filled(drawing, wish, wishes[index] as string);
    return {
      request: withReason(drawing, capitalized(sentence), !changes),
      pattern: `${key}-${index}`,
    };
  }
  const { frame, pattern } = drawFrame(drawing, FRAMES);
  const request = fillFrame(frame, clauseOf(drawing, wish, frame));
  return { request: withReason(drawing, request, !changes), pattern };
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** What was done, after "I": `renamed the room Zork to Plim`. */
export function doneText(wish: Wish, shown?: string): string {
  const { tool, noun, values } = wish;
  const title = [...values].find(([{ field }]) => field.label === "name")?.[1];
  const target = shown ?? (valueOf(wish, "target") ?? title)?.argument;
  return (tool.action.done ?? "did it")
    .replace("{t}", () => `the ${noun} ${String(target)}`)
    .replace("{v}", () => String(valueOf(wish, "value")?.argument));
}
