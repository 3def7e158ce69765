/** Frames of requests: what people write around the words that say what they want. `{do}` is an imperative. */
import { pick } from "../draw.ts";
import { chance, type Drawing } from "./drawing.ts";

export const FRAMES: readonly string[] = [
  "{do}",
  "{Do}.",
  "please {do}",
  "can you {do}?",
  "Could you {do}?",
  "Please {do}.",
  "I want you to {do}.",
  "I would like to {do}.",
  "{Do}, please.",
  "I need to {do}.",
  "hi, {do}",
  "can you please {do}",
  "{do} thanks",
  "We have to {do}.",
  "Go ahead and {do}.",
  "would you {do} for me?",
  "Hello! {Do}, please.",
  "let's {do}",
  "i need you to {do}",
  "Time to {do}.",
  "Help me to {do}.",
  "quickly {do}",
  "{Do} for me.",
  "Kindly {do}.",
  "next: {do}",
  "My wish: {do}.",
  "You should {do}.",
  "now {do}",
  "It would be great if you could {do}.",
  "Would it be possible to {do}?",
  "ok, {do}",
  "Just {do}.",
  "I have to {do}, can you do it?",
  "Do me a favor and {do}.",
  "{do} pls",
  "I think we should {do}.",
  "so, {do}, that is all",
  "My boss wants me to {do}.",
  "Before I forget: {do}.",
  "{do}!",
  "I was asked to {do}.",
  "Is it okay to {do}? Then do it.",
  "hey there, could you {do}",
  "Your job: {do}.",
  "One thing: {do}.",
  "may I ask you to {do}?",
  "Next, {do}.",
  "As agreed, {do}.",
];

/** Frames of two imperatives. */
export const PAIR_FRAMES: readonly string[] = [
  "{do} and {also}",
  "please {do} and {also}",
  "{Do}. Also {also}.",
  "First {do}, then {also}.",
  "Two things: {do}, and {also}.",
  "can you {do} and then {also}?",
  "{do}, and {also} too",
  "I want to {do} and to {also}.",
  "{Do}. {Also}.",
  "Could you {do}, and {also} as well?",
  "{do}; {also}",
  "I need to {do}. After that, {also}.",
];

/** Every fourth frame is held out. */
const isUnseen = (index: number): boolean => index % 4 === 3;

/** An index below `count` that the split may use. Half of the held-out tasks have a frame that is never trained on. */
export function frameIndex(drawing: Drawing, count: number): { index: number; unseen: boolean } {
  const indices = Array.from({ length: count }, (_, i) => i);
  const unseen = drawing.split === "heldOut" && count > 3 && chance(drawing, 0.5);
  return {
    index: pick(
      drawing.random,
      indices.filter((i) => isUnseen(i) === unseen),
    ),
    unseen,
  };
}

/** A frame, with its name among the patterns of a kind. */
export function drawFrame(
  drawing: Drawing,
  frames: readonly string[],
): { readonly frame: string; readonly pattern: string } {
  const { index, unseen } = frameIndex(drawing, frames.length);
  return { frame: frames[index] as string, pattern: `${unseen ? "unseen-" : ""}${index}` };
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export function fillFrame(frame: string, first: string, second = ""): string {
  return frame
    .replace("{do}", () => first)
    .replace("{Do}", () => capitalized(first))
    .replace("{also}", () => second)
    .replace("{Also}", () => capitalized(second));
}
