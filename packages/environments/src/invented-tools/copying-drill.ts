/**
 * Very short tasks with random values, to practice copying: `set zork to Hqv31` and one call. The word is in the name of the
 * tool or only in its description, where the tool has to be found by it.
 */
import { integerBelow, pick } from "../draw.ts";
import { chance, type Drawing, drawOfSplit, shuffled } from "./drawing.ts";
import type { Field } from "./fields.ts";
import { drawFrame } from "./request-frames.ts";
import { callTurn, type ScriptTool, type TaskScript } from "./task-script.ts";
import { integer, inventedWord, scrap, type Value } from "./values.ts";

/** `{k}` is a tool's word, `{v}` a value, `{p}` and `{w}` a second parameter and its value. */
const ONE_VALUE: readonly string[] = [
  "set {k} to {v}",
  "Set {k} to {v}.",
  "{k} {v}",
  "change {k} to {v}",
  "{k} = {v}",
  "please put {v} into {k}",
  "{k}: {v}",
  "Use {v} for {k}.",
  "make {k} {v}",
  "I want {v} as {k}.",
  "enter {v} for {k}",
  "the {k} is {v}",
  "{k} should be {v}",
  "{v} goes to {k}",
  "call {k} with {v}",
  "write {v} in {k}, please",
  "{k} -> {v}",
  "Let {k} be {v}!",
  "store {v} under {k}",
  "can you set {k} to {v}?",
  "give {k} the value {v}",
  "{k} must be {v}.",
  "Could you write {v} into {k}?",
  "the new {k}: {v}",
  "save {v} as {k}",
  "I need {k} to be {v}.",
  "for {k}, take {v}",
  "{v} is the right {k}.",
  "change the {k} to {v}, please",
  "fill {k} with {v}",
  "please use {v} as the {k}",
  "From now on {k} is {v}.",
  "turn {k} into {v}",
  "would you make {k} {v}?",
  "Replace the {k} by {v}.",
  "let us have {v} for {k}",
  "{k} was wrong, it is {v}",
  "update {k}: {v}",
  "What about {v} for {k}? Set it.",
  "note {v} as {k}",
];

const TWO_VALUES: readonly string[] = [
  "{k} {v} with {p} {w}",
  "set {k} to {v} and {p} to {w}",
  "{k}: {v}, {p}: {w}",
  "Put {v} into {k}, {p} {w}.",
  "{k} {v} {p} {w}",
  "for {k} use {v}, and {w} for {p}",
  "please {k} {v}, with {p} = {w}",
  "{k} = {v}; {p} = {w}",
  "{w} as {p} and {v} for {k}",
  "{k} gets {v} and the {p} is {w}",
  "with {p} {w}, set {k} to {v}",
  "{p} {w}, {k} {v}",
  "I need {k} to be {v} and {p} to be {w}.",
  "change {k} to {v}, and {p} to {w}",
  "{k} {v}, {p} {w}",
  "Use {v} for {k} and {w} for {p}.",
  "the {k} is {v} and the {p} is {w}",
  "save {v} under {k}, {p} being {w}",
  "with {w} as {p}, {k} should be {v}",
  "please set {p} to {w} and {k} to {v}",
  "can you make {k} {v} with {p} {w}?",
  "write {v} into {k}; the {p} is {w}",
  "{k}={v} {p}={w}",
  "For {p} take {w}, for {k} take {v}.",
];

const ANY_TEXT: Field = { names: [], type: "string", draw: scrap, phrases: [], label: "value" };
const ANY_INTEGER: Field = {
  names: [],
  type: "integer",
  draw: (drawing) => integer(drawing, 0, 9999),
  phrases: [],
  label: "value",
};
const VERBS = ["set", "put", "change", "mark", "store", "use", "make", "write", "save", "let"];

/** Largest number of tools beside the right one. */
const MOST_OTHERS = 3;

type DrillTool = ScriptTool & { readonly word: string };

function drawDrillTool(drawing: Drawing): DrillTool {
  const { random } = drawing;
  const word = inventedWord(drawing);
  const name = drawOfSplit(drawing, () =>
    pick(random, [
      `${pick(random, VERBS)}_${word}`,
      word,
      `${word}_${inventedWord(drawing)}`,
      inventedWord(drawing),
      inventedWord(drawing),
      `${inventedWord(drawing)}_${inventedWord(drawing)}`,
    ]),
  );
  const field = () => (chance(drawing, 0.8) ? ANY_TEXT : ANY_INTEGER);
  const second = chance(drawing, 0.3)
    ? [{ name: inventedWord(drawing), field: field(), isRequired: true }]
    : [];
  const first = pick(random, ["value", "to", "text", "x", word]);
  return {
    word,
    name,
    description: pick(random, [
      `Set ${word}`,
      `Change the ${word}`,
      `${word} of the page`,
      `Write ${word}`,
    ]),
    parameters: [{ name: first, field: field(), isRequired: true }, ...second],
    changes: true,
  };
}

export function copyingDrill(drawing: Drawing): TaskScript {
  const tool = drawDrillTool(drawing);
  const others = Array.from({ length: integerBelow(drawing.random, MOST_OTHERS + 1) }, () =>
    drawDrillTool(drawing),
  );
  const values = tool.parameters.map(({ field }) => field.draw(drawing));
  const [first, second] = values as [Value, Value | undefined];
  const { frame, pattern } = drawFrame(drawing, second ? TWO_VALUES : ONE_VALUE);
  const said: { readonly [slot: string]: string | undefined } = {
    k: tool.word,
    v: first.said,
    p: tool.parameters[1]?.name,
    w: second?.said,
  };
  const argumentsFor = (given: readonly Value[]) =>
    Object.fromEntries(tool.parameters.map(({ name }, i) => [name, given[i]?.argument]));
  const kind = second ? "copy-two" : "copy-one";
  const wrong = [tool.parameters[0]?.field.draw(drawing) as Value, ...values.slice(1)];
  return {
    kind,
    template: `${kind}-${pattern}`,
    tools: shuffled(drawing, [tool, ...others]),
    request: frame.replaceAll(/\{([kvpw])\}/g, (_, slot: string) => said[slot] ?? ""),
    rounds: [[{ name: tool.name, arguments: argumentsFor(values), result: { value: "ok" } }]],
    answer: "Done.",
    facts: [],
    tone: "plain",
    slip: callTurn(tool.name, argumentsFor(wrong)),
  };
}
