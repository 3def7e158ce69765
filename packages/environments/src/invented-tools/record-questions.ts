/** Questions about a value of a record. */
import { integerBelow } from "../draw.ts";
import { chance, type Drawing } from "./drawing.ts";
import { type FieldKey, FIELDS } from "./fields.ts";
import { drawFrame } from "./request-frames.ts";

/** Questions about any field. `{l}` is the field's label, `{t}` the thing. */
const QUESTIONS: readonly string[] = [
  "What is the {l} of {t}?",
  "tell me the {l} of {t}",
  "Which {l} does {t} have?",
  "I need the {l} of {t}.",
  "what's the {l} of {t}",
  "Can you look up the {l} of {t}?",
  "{t}: which {l}?",
  "Please check the {l} of {t}.",
  "I forgot the {l} of {t}.",
  "Do you know the {l} of {t}?",
  "{l} of {t}?",
  "For {t}, what {l} is noted?",
];

/** Questions that name a field in other words. */
const OTHER_QUESTIONS: { readonly [key in FieldKey]?: readonly string[] } = {
  date: ["When is {t}?", "On which day is {t}?", "what day is {t}"],
  due: ["Until when do we have for {t}?", "When must {t} be ready?", "when is {t} due"],
  time: ["At what time is {t}?", "When does {t} start?", "what time is {t}"],
  place: ["Where is {t}?", "where can I find {t}", "In what place is {t}?"],
  price: ["How much is {t}?", "What does {t} cost?", "how expensive is {t}"],
  person: ["Who is {t} for?", "who is in {t}?", "Whose name is on {t}?"],
  owner: ["Who owns {t}?", "Who is responsible for {t}?", "who takes care of {t}"],
  minutes: ["How long does {t} take?", "how many minutes does {t} last?"],
  weight: ["How heavy is {t}?", "how many kilos does {t} have?"],
  people: ["For how many people is {t}?", "how many people fit {t}?"],
  count: ["How many pieces does {t} have?", "how many are in {t}?"],
  color: ["What color is {t}?", "which color does {t} have"],
  email: ["How can I write to {t}?", "Where do I send a mail for {t}?"],
  tag: ["What kind is {t}?", "which group does {t} belong to?"],
  priority: ["How important is {t}?", "how pressing is {t}"],
  size: ["How big is {t}?", "is {t} small or large?"],
  repeat: ["How often is {t}?", "how often does {t} repeat?"],
};

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** A question about a field of the thing, with the name of its pattern. */
export function drawQuestion(
  drawing: Drawing,
  key: FieldKey,
  thing: string,
): { readonly request: string; readonly pattern: string } {
  const others = OTHER_QUESTIONS[key] ?? [];
  const index = integerBelow(drawing.random, others.length);
  const other = chance(drawing, 0.45) ? others[index] : undefined;
  const { frame, pattern } =
    other === undefined
      ? drawFrame(drawing, QUESTIONS)
      : { frame: other, pattern: `${key}-${index}` };
  const text = frame.replace("{l}", FIELDS[key].label).replace("{t}", () => thing);
  return { request: frame.startsWith("{") ? capitalized(text) : text, pattern };
}
