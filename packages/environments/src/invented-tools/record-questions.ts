/** Questions about a value of a record. */
import { integerBelow } from "../draw.ts";
import { withoutDoubledPreposition } from "./dates.ts";
import { chance, type Drawing } from "./drawing.ts";
import { type FieldKey, FIELDS } from "./fields.ts";
import { withReason } from "./reasons.ts";
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
  "Could you tell me the {l} of {t}?",
  "I would like to know the {l} of {t}.",
  "What {l} has {t}?",
  "give me the {l} of {t}",
  "Find out the {l} of {t}, please.",
  "What did we note as the {l} of {t}?",
  "I wonder what the {l} of {t} is.",
  "Somebody asked me for the {l} of {t}.",
  "the {l} of {t}, please",
  "{t}, what is its {l}?",
  "Is there a {l} for {t}, and which one?",
  "Let me know the {l} of {t}.",
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
  phone: ["At which number can I call {t}?", "what number do I dial for {t}"],
  language: ["In what language is {t}?", "which language goes with {t}?"],
  weekday: ["On which weekday is {t}?", "which day of the week is it for {t}?"],
  hours: ["How many hours does {t} take?", "for how many hours is {t}?"],
  material: ["What is {t} made of?", "of what material is {t}"],
  year: ["From which year is {t}?", "what year is {t} from"],
  age: ["How old is {t}?", "what age is {t}"],
  distance: ["How many kilometers is {t}?", "how long is {t} in km?"],
  temperature: ["How warm is {t}?", "how many degrees does {t} have?"],
  liters: ["How many liters does {t} hold?", "how many liters fit into {t}?"],
  country: ["From which country is {t}?", "what country goes with {t}?"],
  job: ["What does {t} work as?", "what job does {t} have"],
  level: ["How difficult is {t}?", "for which level is {t}?"],
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
  const said = withoutDoubledPreposition(frame.startsWith("{") ? capitalized(text) : text);
  return { request: withReason(drawing, said, true), pattern };
}
